import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { minutes } from '../contract/units.ts';
import { openClient } from '../testing/client.ts';
import { runCommand } from '../testing/command-line.ts';
import { migratedDatabase, type TestDatabase, usualEngines } from '../testing/databases/databases.ts';
import { form } from '../testing/people.ts';
import { type ServiceProcess, startProcess } from '../testing/process.ts';
import { newSecret, openWebhookReceiver, writeWebhooksFile } from '../testing/webhook-receiver.ts';

/** Until a change that another process made takes effect: seconds in practice. */
const soon = { timeout: minutes(1), interval: 50 };
const SECRET_KEY = 'k'.repeat(43);

/** The status of a token request by a service, which only its client and its secret decide. */
async function tokenStatus({ url }: ServiceProcess, { id, secret }: { id: string; secret: string }): Promise<number> {
  const response = await fetch(`${url}/oidc/token`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
    },
    body: 'grant_type=client_credentials',
  });
  await response.body?.cancel();
  return response.status;
}

const isRunningOnWindows = process.platform === 'win32';

describe.each(usualEngines)('commands beside running nodes, on %s,', (engine) => {
  let database: TestDatabase;
  let nodes: ServiceProcess[];
  beforeAll(async () => {
    database = await migratedDatabase(engine);
    nodes = await Promise.all(
      Array.from({ length: engine === 'sqlite' ? 1 : 2 }, () => startProcess(database, { SECRET_KEY })),
    );
  });
  afterAll(() => Promise.all(nodes.map((node) => node.stop())));

  const run = async (...words: string[]) => {
    const { dataDir: folder, databaseUrl: DATABASE_URL } = database;
    const settings = { DATA_DIR: folder, DATABASE_URL, PHONE_CONFIRMATION: 'off', SECRET_KEY };
    const { code, out, err } = await runCommand([...words, '--json'], { folder, settings });
    if (code !== 0) throw new Error(`${words.join(' ')}: ${out}${err}`);
    return JSON.parse(out);
  };
  const statuses = (client: { id: string; secret: string }) =>
    Promise.all(nodes.map((node) => tokenStatus(node, client)));
  const all = (status: number) => nodes.map(() => status);

  test('every node serves the first client, its second secret and its end', async () => {
    expect(await statuses({ id: 'x', secret: 'y' })).toEqual(all(404));
    const added = await run('clients', 'add', 'Reports', '--service');
    const first = { id: added.client_id, secret: added.client_secret };
    await expect.poll(() => statuses(first), soon).toEqual(all(200));
    const second = { ...first, secret: (await run('clients', 'secret', first.id)).client_secret };
    await expect.poll(() => statuses(second), soon).toEqual(all(200));
    expect(await statuses(first)).toEqual(all(200));
    await run('clients', 'secret', first.id, '--drop');
    await expect.poll(() => statuses(first), soon).toEqual(all(401));
    expect(await statuses(second)).toEqual(all(200));
    await run('clients', 'remove', first.id);
    await expect.poll(() => statuses(second), soon).toEqual(all(401));
  });

  test('every node admits an account with its group, and no longer without', async () => {
    const wiki = await run(
      'clients',
      'add',
      'Wiki',
      '--redirect',
      'https://wiki.example/.vestibule/callback',
      '--groups',
      'staff',
      '--first-party',
    );
    const person = form();
    const browsers = nodes.map(({ url }) => openClient(url));
    const [browser] = browsers;
    expect((await browser?.post('/auth/register', person))?.status).toBe(201);
    for (const other of browsers.slice(1)) await other.post('/auth/login', person);
    /** Where the guard leads each browser: to the application with a code, or to the page about missing access. */
    const entrances = () =>
      Promise.all(
        browsers.map(async (one) => {
          const own = { 'x-forwarded-host': 'wiki.example', 'x-forwarded-proto': 'https' };
          const start = await one.get(`/.vestibule/start?client=${wiki.client_id}&place=/`, own);
          const { pathname, search } = new URL(start.headers.get('location') ?? '', 'https://door.example');
          const response = await one.get(pathname + search);
          return new URL(response.headers.get('location') ?? '', 'https://door.example').host;
        }),
      );
    const everywhere = (host: string) => nodes.map(() => host);
    await expect.poll(entrances, soon).toEqual(everywhere('door.example'));
    await run('groups', 'add', String(person.email), 'staff');
    await expect.poll(entrances, soon).toEqual(everywhere('wiki.example'));
    await run('groups', 'remove', String(person.email), 'staff');
    await expect.poll(entrances, soon).toEqual(everywhere('door.example'));
  });
});

describe.each(usualEngines)('on %s, SIGHUP', (engine) => {
  test.skipIf(isRunningOnWindows)(
    'reads both files again; an invalid one changes nothing, and the log names its mistake',
    async () => {
      const database = await migratedDatabase(engine);
      const clientsFile = join(database.dataDir, 'clients.json');
      const clientOf = (id: string) => ({ id, secret: `${id}-`.repeat(16) });
      const entryOf = (id: string) => ({
        client_id: id,
        client_name: id,
        client_secrets: [clientOf(id).secret],
        service: true,
      });
      const write = (text: unknown) =>
        writeFileSync(clientsFile, typeof text === 'string' ? text : JSON.stringify(text));
      const receiver = await openWebhookReceiver();
      const webhooksFile = writeWebhooksFile([{ url: 'http://127.0.0.1:9/unused', secret: newSecret() }]);
      write([entryOf('reports'), entryOf('former')]);
      const files = { CLIENTS_FILE: clientsFile, WEBHOOKS_FILE: webhooksFile };
      const node = await startProcess(database, { SECRET_KEY, LOG_LEVEL: 'info', ...files });
      const messages = () => node.log().map(({ msg, err }) => `${msg} ${JSON.stringify(err ?? '')}`);
      const status = (id: string) => tokenStatus(node, clientOf(id));
      expect([await status('reports'), await status('former'), await status('wiki')]).toEqual([200, 200, 401]);

      write([entryOf('reports'), entryOf('wiki')]);
      writeWebhooksFile([receiver], webhooksFile);
      process.kill(node.pid, 'SIGHUP');
      await expect.poll(() => status('wiki'), soon).toBe(200);
      expect([await status('reports'), await status('former')]).toEqual([200, 401]);
      await expect.poll(messages, soon).toContainEqual(expect.stringMatching(/^read CLIENTS_FILE /));
      const registers = () => openClient(node.url).post('/auth/register', form());
      await registers();
      await expect.poll(() => receiver.received.map(({ type }) => type), soon).toEqual(['account.created']);

      const broken: [unknown, RegExp][] = [
        [
          [entryOf('reports'), { ...entryOf('wiki'), client_secrets: ['short'] }],
          /previous clients stay .*wiki.*32 characters/,
        ],
        // The parser's own message quotes the text beside the mistake: here, the missing quotation mark before a secret.
        [`[{"client_secrets": [${clientOf('wiki').secret}"]}]`, /previous clients stay .*is not JSON/],
      ];
      writeWebhooksFile([{ ...receiver, events: ['account.born'] }], webhooksFile);
      for (const [text, complaint] of broken) {
        write(text);
        process.kill(node.pid, 'SIGHUP');
        await expect.poll(messages, soon).toContainEqual(expect.stringMatching(complaint));
      }
      expect(JSON.stringify(node.log())).not.toContain('wiki-wiki');
      expect(messages()).toContainEqual(expect.stringMatching(/previous receivers stay .*events must be some of/));
      expect([await status('reports'), await status('wiki')]).toEqual([200, 200]);
      await registers();
      await expect.poll(() => receiver.received.length, soon).toBe(2);
      expect(receiver.rejected).toEqual([]);
      await receiver.close();
      await node.stop();
    },
  );
});
