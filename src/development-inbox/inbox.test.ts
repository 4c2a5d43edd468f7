import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { EmailMessage } from '../outbox/compose.ts';
import { orderedId } from '../store/database.ts';
import { call } from '../testing/provider-tests.ts';
import { developmentInboxSender, developmentPhone, type InboxCall, openInbox } from './inbox.ts';

function folder(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'vestibule-inbox-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  return dataDir;
}

const emailOf = (subject: string, id = orderedId()): EmailMessage => ({
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

it('stores an email in a file that only its owner can read', async () => {
  const dataDir = folder();
  const inbox = openInbox(dataDir);
  const first = emailOf('First');
  await developmentInboxSender(inbox).send(first);
  await developmentInboxSender(inbox).send(emailOf('Second'));
  expect((await inbox.list()).map(({ subject }) => subject)).toEqual(['Second', 'First']);
  expect(await openInbox(dataDir).read(first.id)).toMatchObject({
    at: '2026-11-21T12:00:00.000Z',
    from: 'Vestibule <no-reply@sign-in.example>',
    to: 'ada@mail.example',
  });
  const files = readdirSync(join(dataDir, 'inbox'));
  expect(files).toHaveLength(2);
  for (const file of files) expect(statSync(join(dataDir, 'inbox', file)).mode & 0o777).toBe(0o600);
});

it('shows an email once if it was sent twice', async () => {
  const inbox = openInbox(folder());
  const sender = developmentInboxSender(inbox);
  const again = emailOf('Again');
  await sender.send(again);
  await sender.send(again);
  expect(await inbox.list()).toHaveLength(1);
});

it('keeps the newest 200 emails', async () => {
  const inbox = openInbox(folder());
  const sender = developmentInboxSender(inbox);
  for (let count = 1; count <= 205; count += 1) await sender.send(emailOf(`Email ${count}`));
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

function openPhone() {
  const dataDir = folder();
  const inbox = openInbox(dataDir);
  return { dataDir, inbox, phone: developmentPhone(inbox, () => Date.UTC(2026, 10, 21, 12)) };
}

it('rings with a number that ends in the code, in a file that only its owner can read', async () => {
  const { dataDir, inbox, phone } = openPhone();
  expect(await phone.place(call)).toEqual({ kind: 'ours' });
  const rung = { at: '2026-11-21T12:00:00.000Z', to: '+79261234567', from: '+1 202 555 4083', way: 'ring' };
  expect(await openInbox(dataDir).calls.list()).toMatchObject([rung]);
  expect(await inbox.list()).toEqual([]);
  const [file = ''] = readdirSync(join(dataDir, 'inbox', 'calls'));
  expect(statSync(join(dataDir, 'inbox', 'calls', file)).mode & 0o777).toBe(0o600);
});

it('speaks the digits one by one, and calls from a number that does not contain them', async () => {
  const { inbox, phone } = openPhone();
  await phone.speak({ ...call, introduction: 'Ihr Code ist' });
  await phone.speak(call);
  const calls = await inbox.calls.list();
  expect(calls.map(({ spoken }) => spoken)).toEqual(['4 0 8 3', 'Ihr Code ist 4 0 8 3']);
  expect(calls[0]).toMatchObject({ way: 'voice', from: '+1 202 555 0100' });
});

it('shows messages unchanged, and a number that waits until the developer calls it', async () => {
  const { inbox, phone } = openPhone();
  await phone.text({ ...call, message: 'Code: 4083' });
  await phone.telegram(call);
  await phone.whatsapp(call);
  const awaited = await phone.await(call);
  expect(awaited).toMatchObject({ kind: 'awaited', number: '+12025550199' });
  const [waiting, ...messages] = await inbox.calls.list();
  expect(messages.map(({ way, spoken }) => [way, spoken])).toEqual([
    ['whatsapp', '4083'],
    ['telegram', '4083'],
    ['sms', 'Code: 4083'],
  ]);
  expect(await phone.arrived(awaited)).toBe('waiting');
  await inbox.calls.add({ ...(waiting as InboxCall), called: true });
  expect(await phone.arrived(awaited)).toBe('confirmed');
  expect(await phone.arrived({ reference: 'nothing' })).toBe('expired');
});

it('warns that it does not reach real phones', async () =>
  expect((await openPhone().phone.readStatus()).warning).toContain('development inbox'));
