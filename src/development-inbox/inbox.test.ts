import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { EmailMessage } from '../outbox/email-message.ts';
import { orderedId } from '../store/ordered-id.ts';
import { developmentInboxSender, openInbox } from './inbox.ts';

function folder(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'vestibule-inbox-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  return dataDir;
}

const letter = (subject: string, id = orderedId()): EmailMessage => ({
  id,
  messageId: `<${id}@sign-in.example>`,
  language: 'en',
  from: { name: 'Vestibule', address: 'no-reply@sign-in.example' },
  to: 'ada@mail.example',
  returnPath: 'no-reply@sign-in.example',
  replyTo: undefined,
  date: new Date(Date.UTC(2026, 10, 21, 12)),
  subject,
  text: 'Text',
  html: '<p>HTML</p>',
});

it('stores an email in a file that only its owner can read, and notifies listeners', async () => {
  const dataDir = folder();
  const inbox = openInbox(dataDir);
  const heard: string[] = [];
  const stop = inbox.listen(({ subject }) => heard.push(subject));
  const first = letter('First');
  await developmentInboxSender(inbox).send(first);
  stop();
  await developmentInboxSender(inbox).send(letter('Second'));

  expect(heard).toEqual(['First']);
  expect((await inbox.list()).map(({ subject }) => subject)).toEqual(['Second', 'First']);
  expect(await openInbox(dataDir).read(first.id)).toMatchObject({
    at: '2026-11-21T12:00:00.000Z',
    from: 'Vestibule <no-reply@sign-in.example>',
    to: 'ada@mail.example',
    headers: { 'Message-ID': first.messageId, 'Auto-Submitted': 'auto-generated' },
  });
  const files = readdirSync(join(dataDir, 'inbox'));
  expect(files).toHaveLength(2);
  for (const file of files) expect(statSync(join(dataDir, 'inbox', file)).mode & 0o777).toBe(0o600);
});

it('shows an email once if it was sent twice', async () => {
  const inbox = openInbox(folder());
  const sender = developmentInboxSender(inbox);
  const again = letter('Again');
  await sender.send(again);
  await sender.send(again);
  expect(await inbox.list()).toHaveLength(1);
});

it('keeps the newest 200 emails', async () => {
  const inbox = openInbox(folder());
  const sender = developmentInboxSender(inbox);
  for (let count = 1; count <= 205; count += 1) await sender.send(letter(`Email ${count}`));
  const subjects = (await inbox.list()).map(({ subject }) => subject);
  expect(subjects).toHaveLength(200);
  expect([subjects[0], subjects.at(-1)]).toEqual(['Email 205', 'Email 6']);
});

it.each(['../../secret', '..', '', '%2e%2e', 'x'.repeat(36)])(
  'does not read another file with the id "%s"',
  async (id) => {
    expect(await openInbox(folder()).read(id)).toBeUndefined();
  },
);
