import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, test } from 'vitest';
import { deleteAccount } from '../operations/accounts.ts';
import { type AccountsTable, findAccount } from '../store/accounts/accounts.ts';
import { onFileEnd } from '../testing/file-cleanup.ts';
import { freePort } from '../testing/free-port.ts';
import { eventually } from '../testing/outbox.ts';
import { proveAddress, register } from '../testing/people.ts';
import { openTestServer } from '../testing/test-server.ts';
import { newSecret, openWebhookReceiver, writeWebhooksFile } from '../testing/webhook-receiver.ts';
import { readReceivers } from './receivers.ts';

const secret = newSecret();
const good = { url: 'https://app.example/hooks', secret, events: ['account.deleted'] };

function write(content: unknown): string {
  const file = join(mkdtempSync(join(tmpdir(), 'vestibule-webhooks-')), 'webhooks.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

it('reads receivers with one secret or two', () => {
  const other = newSecret();
  const file = writeWebhooksFile([good, { ...good, url: 'http://127.0.0.1:9000/', secret: [other, secret] }]);
  const keys = [secret, other].map((text) => Buffer.from(text.slice('whsec_'.length), 'base64'));
  expect(readReceivers(file)).toMatchObject([
    { url: new URL(good.url), secrets: [keys[0]], events: ['account.deleted'] },
    { url: new URL('http://127.0.0.1:9000/'), secrets: [keys[1], keys[0]] },
  ]);
  expect(readReceivers(undefined)).toEqual([]);
});

/** The JSON blocks of docs/integrate.md: a WEBHOOKS_FILE, and an event. */
const [documentedFile = '', documentedEvent = ''] = [
  ...readFileSync(join('docs', 'integrate.md'), 'utf8').matchAll(/^```json\n(.*?)^```$/gms),
].map(([, text = '']) => text);

it('reads the file in docs/integrate.md', () => {
  expect(readReceivers(write(documentedFile))).toMatchObject([
    { url: new URL('https://app.example.com/hooks/vestibule') },
  ]);
});

it('posts events with the fields of the one in docs/integrate.md', async () => {
  const app = await openWebhookReceiver();
  onFileEnd(app.close);
  const server = await openTestServer('sqlite', { WEBHOOKS_FILE: writeWebhooksFile([app]) });
  await proveAddress(server, await register(server));
  const changed = () => app.received.find(({ type }) => type === 'account.changed');
  await eventually(() => expect(changed()).toBeDefined());
  const { timestamp: _, ...event } = JSON.parse(changed()?.raw ?? '');
  const { timestamp: __, ...documented } = JSON.parse(documentedEvent);
  expect(event).toEqual({
    ...documented,
    data: { account: { ...documented.data.account, id: expect.any(String), email: expect.any(String) } },
  });
});

test.each([
  ['text that is not JSON', `[{"secret": "${secret}" oops`, 'is not JSON'],
  ['an object', good, 'must be a list of receivers'],
  [
    'plain http to another machine',
    [{ ...good, url: 'http://app.example/' }],
    'receiver 1: url must be an https:// URL',
  ],
  ['a user name', [good, { ...good, url: 'https://me:pass@app.example/' }], 'receiver 2: url must be an https:// URL'],
  ['a short secret', [{ ...good, secret: 'whsec_c2hvcnQ=' }], 'receiver 1: secret must be whsec_'],
  ['a secret without its prefix', [{ ...good, secret: secret.slice(6) }], 'receiver 1: secret must be whsec_'],
  ['three secrets', [{ ...good, secret: [secret, secret, secret] }], 'receiver 1: secret must be whsec_'],
  ['an unknown event', [{ ...good, events: ['account.born'] }], 'receiver 1: events must be some of account.created'],
  ['no events', [{ ...good, events: [] }], 'receiver 1: events must list at least one event type'],
  ['the same URL twice', [good, { ...good, url: 'HTTPS://app.example:443/hooks' }], 'must list each URL once'],
  ['an unknown key', [{ ...good, sekret: 'x' }], 'receiver 1: has unknown keys: sekret'],
])('names %s, and never a secret', (_what, content, problem) => {
  const file = write(content);
  let message = '';
  try {
    readReceivers(file);
  } catch (error) {
    ({ message } = error as Error);
  }
  expect(message).toContain(`WEBHOOKS_FILE: ${file} ${problem}`);
  expect(message).not.toContain(secret.slice(6, 20));
});

it('names a file that cannot be read', () => {
  expect(() => readReceivers('/nowhere/webhooks.json')).toThrow(
    'WEBHOOKS_FILE: /nowhere/webhooks.json cannot be read (ENOENT)',
  );
});

it('verifies webhooks in the receiver of docs/integrate.md, which learns that an account was deleted', {
  tags: 'full',
}, async () => {
  const [port, secret] = [await freePort(), newSecret()];
  const { PATH } = process.env;
  const app = spawn(process.execPath, ['examples/webhook-receiver.mjs'], {
    env: { PATH, PORT: String(port), WEBHOOK_SECRET: secret },
  });
  onTestFinished(() => void app.kill());
  let said = '';
  app.stdout.on('data', (text) => {
    said += text;
  });
  const url = `http://127.0.0.1:${port}/hooks`;
  await eventually(async () => expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(400));

  const server = await openTestServer('sqlite', { WEBHOOKS_FILE: writeWebhooksFile([{ url, secret }]) });
  const { id } = await register(server);
  const account = (await findAccount(server.store, id)) as AccountsTable;
  const operator = { kind: 'command', actor: 'alice', origin: 'here', reason: undefined } as const;
  await deleteAccount({ store: server.store, now: server.now(), operator }, account);
  await eventually(() => expect(said).toBe(`account.created ${id}\ndelete the data of ${id}\n`));
});
