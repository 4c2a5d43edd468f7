import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { solve } from '../browser/proof-of-work/solve.ts';
import { proofOfWorkHeader, readyForTask } from '../contract/sign-in/proof-of-work.ts';
import { minutes } from '../contract/units.ts';
import { type Client, statusAndCode } from '../testing/client.ts';
import { usualEngines } from '../testing/databases/databases.ts';
import { openFloodedScheduler } from '../testing/flooded-scheduler.ts';
import { form, password, register } from '../testing/people.ts';
import { openTestServer } from '../testing/test-server.ts';

const proof = (text: string) => ({ [proofOfWorkHeader]: text });
const ready = proof(readyForTask);

const opened = usualEngines.map((engine) => {
  const scheduler = openFloodedScheduler();
  return { engine, scheduler, server: openTestServer(engine, { RECOVERY_MAILS_PER_ADDRESS: '1000' }, { scheduler }) };
});

let visitors = 0;

describe.each(opened)('proof of work, on $engine,', ({ scheduler, server: opening }) => {
  /** A person, and a browser without a device cookie that has had a turn before the flood. */
  async function arrive() {
    const server = await opening;
    const { email, browser: known } = await register(server);
    visitors += 1;
    const browser = server.client({ ip: `203.0.113.${visitors}` });
    await browser.post('/auth/login', { email: 'nobody@example.com', password });
    const signIn = (header: Record<string, string>, from = browser) =>
      from.post('/auth/login', { email, password }, header);
    return { server, email, known, browser, signIn };
  }

  /** Runs `work` during a flood. */
  async function flooded<T>(work: () => Promise<T>): Promise<T> {
    scheduler.flood();
    try {
      return await work();
    } finally {
      scheduler.end();
    }
  }

  /** The task that a browser gets for a request. */
  async function taskOf(browser: Client, path = '/auth/login', body: object = { email: 'a@example.com', password }) {
    const response = await flooded(() => browser.post(path, body, ready));
    expect(response).toSay('503 try_again_later');
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    return response.body.task as string;
  }

  test('is not required without a flood', async () => {
    const { signIn } = await arrive();
    expect(await signIn(ready)).toSay('200');
  });

  test('puts a new browser before a flood, on each endpoint with a task', async () => {
    const { email, browser, signIn } = await arrive();
    const locale = 'en';
    for (const [path, body, outcome] of [
      ['/auth/register', form(), '201'],
      ['/auth/recovery', { email, locale }, '202'],
      [
        '/auth/reset-password',
        { email, hash: 'a'.repeat(43), password, password_repeat: password },
        '410 reset_link_invalid',
      ],
    ] as const) {
      const browserOfPath = browser.copy();
      const solved = solve(await taskOf(browserOfPath, path, body));
      expect(await flooded(() => browserOfPath.post(path, body, proof(solved)))).toSay(outcome);
    }
    const solved = solve(await taskOf(browser));
    expect(await flooded(() => signIn(proof(solved)))).toSay('200');
  });

  test('a client that does not offer to solve tasks waits, and gets its turn', async () => {
    const { signIn } = await arrive();
    const waiting = await flooded(async () => {
      const response = signIn({});
      await expect.poll(() => scheduler.state().waiting).toBeGreaterThan(0);
      return { response };
    });
    expect(await waiting.response).toSay('200');
  });

  test('a browser with a device cookie does not get a task', async () => {
    const { known, email } = await arrive();
    const { browser: other } = await arrive();
    const waiting = await flooded(async () => {
      const response = known.post('/auth/login', { email, password }, ready);
      // Its own turn comes after the tasks of others.
      await taskOf(other);
      return { response };
    });
    expect(await waiting.response).toSay('200');
  });

  test('a solution works once, on any node', async () => {
    const { server, browser, signIn } = await arrive();
    const solved = proof(solve(await taskOf(browser)));
    expect(await signIn(solved)).toSay('200');
    browser.cookies.delete('__Host-device');
    const again = await signIn(solved);
    expect(again).toSay('503 try_again_later');
    expect(again.body.task).toMatch(/^13\./);
    const other = (await server.otherNode()).client({ ip: `203.0.113.${visitors}` });
    expect(await signIn(solved, other)).toSay('503 try_again_later');
    expect(await signIn(proof(solve(again.body.task)))).toSay('200');
  });

  test('parallel requests with one solution get one turn', async () => {
    const { browser, signIn } = await arrive();
    const solved = proof(solve(await taskOf(browser)));
    const responses = await Promise.all([
      signIn(solved),
      signIn(solved, browser.copy()),
      signIn(solved, browser.copy()),
    ]);
    expect(responses.map(statusAndCode).toSorted()).toEqual(['200', '503 try_again_later', '503 try_again_later']);
  });

  test('a solution is void after two minutes, for another endpoint, and for another source', async () => {
    const { server, browser, signIn, email } = await arrive();
    const solved = proof(solve(await taskOf(browser)));
    const elsewhere = server.client({ ip: '203.0.113.250' });
    expect(await signIn(solved, elsewhere)).toSay('503 try_again_later');
    const recovery = await browser.post('/auth/recovery', { email, locale: 'en' }, solved);
    expect(recovery).toSay('503 try_again_later');
    server.forward(minutes(2) + 1);
    expect(await signIn(solved)).toSay('503 try_again_later');
  });

  test('a solution with another difficulty, too few or repeated numbers, or wrong hashes is void', async () => {
    const { browser, signIn } = await arrive();
    const task = await taskOf(browser);
    const solved = solve(task);
    const numbers = solved.slice(task.length + 1).split('.');
    const [first = '', ...others] = numbers;
    const easier = (bits: string) => `${bits}${task.slice(task.indexOf('.'))}:${numbers.join('.')}`;
    const anyNumbers = Array.from({ length: 8 }, (_, at) => at).join('.');
    for (const forged of [
      ...['0', '1', '00', '-1', '32', '99', '1e1', 'NaN', ''].map(easier),
      task,
      `${task}:`,
      `${task}:${others.join('.')}`,
      `${task}:${[first, first, ...others.slice(1)].join('.')}`,
      `${task}:${numbers.toReversed().join('.')}`,
      `${task}:${anyNumbers}`,
      `${solved}.${Number(numbers.at(-1)) + 1}`,
      `${solved}${'.1'.repeat(500)}`,
      `13.${Date.now().toString(36)}.${'A'.repeat(16)}.${createHash('sha256').digest('base64url')}:${anyNumbers}`,
      'yes',
    ])
      expect([forged, statusAndCode(await signIn(proof(forged)))]).toEqual([forged, '503 try_again_later']);
    expect(await signIn(proof(solved))).toSay('200');
  });
});

test('a browser does not solve a task that would keep it busy for minutes', () => {
  for (const bits of ['16', '32', '-1', '0', 'NaN', '1e9', ''])
    expect(() => solve(`${bits}.abc.def.ghi`)).toThrow('bits');
});
