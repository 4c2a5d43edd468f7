import { describe, expect, it } from 'vitest';
import { type Client, statusAndCode, untilServed } from '../../testing/client.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { password, register } from '../../testing/people.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

describe.each(usualEngines)('computers on %s', (engine) => {
  let server: TestServer;
  const open = async () => {
    server ??= await openTestServer(engine, { RECORDS_PER_COMPUTER: '100' });
    return server;
  };
  const person = async () => {
    await open();
    return (await register(server)).browser;
  };
  /** An agent on a computer: it has no cookies and its own IP address. */
  const device = (token?: string): Client => Object.assign(server.client(), { token });
  const ask = async (browser: Client) => {
    // An old session gets a code only with the password.
    const { status, body } = await browser.post('/computers/enrolments', { password });
    expect(status).toBe(201);
    return body.code as string;
  };
  const enrol = (code: unknown, name: unknown = 'Office') =>
    device().send('POST', '/computers/enrol', { body: { code, name, platform: 'linux' } });
  const add = async (browser: Client, name?: string) => {
    const { status, body } = await enrol(await ask(browser), name);
    expect(status).toBe(201);
    return { id: body.computer as string, computer: device(body.device_token) };
  };
  const beat = (computer: Client, body: object = {}) => computer.send('POST', '/computers/heartbeat', { body });
  const report = (computer: Client, records: unknown) =>
    computer.send('POST', '/computers/records', { body: { records } });
  const record = (id: string, text = 'It runs.') => ({
    id,
    at: new Date(server.now()).toISOString(),
    kind: 'start',
    text,
  });

  it('neither lose nor duplicate records when a hundred send them in parallel', async () => {
    const browser = await person();
    const computers: Awaited<ReturnType<typeof add>>[] = [];
    while (computers.length < 100) computers.push(await add(browser, `PC ${computers.length}`));
    // A busy service may refuse some requests; the clients retry, as the agent does.
    const responses = await Promise.all(
      computers.flatMap(({ computer }) => [
        untilServed(() => report(computer, [record('a'), record('b')])),
        untilServed(() => report(computer, [record('b'), record('c')])),
        untilServed(() => beat(computer)),
      ]),
    );
    expect(responses.filter(({ status }) => status >= 300)).toEqual([]);
    const ids = new Set<string>();
    for (let next: string | null = ''; next !== null; ) {
      const page: { records: { id: string }[]; next: string | null } = (
        await browser.get(`/computers/records${next ? `?before=${next}` : ''}`)
      ).body;
      for (const { id } of page.records) ids.add(id);
      next = page.next;
    }
    expect(ids.size).toBe(300);
  });

  it('need codes, which are limited per hour', async () => {
    const browser = await person();
    const statuses: number[] = [];
    for (let time = 0; time < 120; time += 1) statuses.push((await browser.post('/computers/enrolments')).status);
    expect(new Set(statuses)).toEqual(new Set([201]));
    expect(statusAndCode(await browser.post('/computers/enrolments'))).toBe('429 too_many_requests');
  });
});
