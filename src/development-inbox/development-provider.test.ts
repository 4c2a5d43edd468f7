import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { call } from '../testing/provider-tests.ts';
import { developmentPhone } from './development-provider.ts';
import { type InboxCall, openInbox } from './inbox.ts';

function openPhone() {
  const dataDir = mkdtempSync(join(tmpdir(), 'vestibule-phone-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const inbox = openInbox(dataDir);
  return { dataDir, inbox, phone: developmentPhone(inbox, () => Date.UTC(2026, 10, 21, 12)) };
}

it('rings with a number that ends in the code, and notifies listeners', async () => {
  const { dataDir, inbox, phone } = openPhone();
  const heard: InboxCall[] = [];
  onTestFinished(inbox.calls.listen((one) => heard.push(one)));
  expect(await phone.place(call)).toEqual({ kind: 'ours' });
  const rung = { at: '2026-11-21T12:00:00.000Z', to: '+79261234567', from: '+1 202 555 4083', way: 'ring' };
  expect(heard).toMatchObject([rung]);
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

it('keeps the newest 50 calls', async () => {
  const { inbox, phone } = openPhone();
  for (let count = 1001; count <= 1055; count += 1) await phone.place({ ...call, code: String(count) });
  const calls = await inbox.calls.list();
  expect(calls).toHaveLength(50);
  expect([calls[0]?.from, calls.at(-1)?.from]).toEqual(['+1 202 555 1055', '+1 202 555 1006']);
});

it('warns that it does not reach real phones', async () => {
  expect((await openPhone().phone.examine()).warning).toContain('development inbox');
});
