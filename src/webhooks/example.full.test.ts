import { spawn } from 'node:child_process';
import { expect, it, onTestFinished } from 'vitest';
import { deleteAccount } from '../operations/accounts.ts';
import { findAccountByEmail } from '../store/accounts/accounts.ts';
import { freePort } from '../testing/free-port.ts';
import { eventually } from '../testing/outbox.ts';
import { register } from '../testing/people.ts';
import { openTestServer } from '../testing/test-server.ts';
import { newSecret, writeWebhooksFile } from '../testing/webhook-receiver.ts';

it('the receiver in docs/integrate.md verifies webhooks, and learns that an account was deleted', async () => {
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
  const { email } = await register(server);
  const account = await findAccountByEmail(server.store, email);
  if (!account) throw new Error('no account');
  const operator = { kind: 'command', actor: 'alice', origin: 'here', reason: undefined } as const;
  await deleteAccount({ store: server.store, now: server.now(), operator }, account);
  await eventually(() => expect(said).toBe(`account.created ${account.id}\ndelete the data of ${account.id}\n`));
});
