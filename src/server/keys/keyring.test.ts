import { describe, expect, test } from 'vitest';
import { subkey, writeConfirmation } from '../../security/macs.ts';
import { confirmedPhone } from '../../testing/callers.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';
import { openKeys } from './stored-keys.ts';

describe.each(usualEngines)('the key for phone confirmations, on %s,', async (engine) => {
  const server = await openTestServer(engine, { PHONE_CONFIRMATION: 'optional' });
  const keys = await openKeys(server.store, { config: server.config, now: server.now() });
  const stored = keys.find(({ purpose }) => purpose === 'phone')?.bytes ?? Buffer.alloc(0);

  test('signs confirmations that the previous release can verify', async () => {
    const { call, phone_confirmation } = await confirmedPhone(server);
    expect(phone_confirmation).toBe(writeConfirmation(stored, call));
  });

  test.each<[outcome: string, name: string, key: Buffer]>([
    ['200', 'the stored key', stored],
    ['200', 'the key derived for this purpose', subkey(stored, 'phone confirmation')],
    ['422 validation_failed phone_confirmation phone_not_confirmed', 'the key for calls', subkey(stored, 'call')],
    [
      '422 validation_failed phone_confirmation phone_not_confirmed',
      'the key for emails',
      subkey(stored, 'email proof'),
    ],
  ])('responds with %s to a confirmation signed with %s', async (outcome, _name, key) => {
    const { phone, call } = await confirmedPhone(server);
    const { browser } = await register(server);
    const response = await browser.post('/account/phone', { phone, phone_confirmation: writeConfirmation(key, call) });
    expect(response).toSay(outcome);
  });
});
