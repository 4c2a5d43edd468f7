import { describe, expect, test } from 'vitest';
import { subkey, writeConfirmation } from '../../security/macs.ts';
import { statusAndCode } from '../../testing/client.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';
import { openKeys } from './stored-keys.ts';

describe.each(usualEngines)('the key for phone confirmations, on %s,', async (engine) => {
  const server = await openTestServer(engine, { PHONE_CONFIRMATION: 'optional' });
  const keys = await openKeys(server.store, { config: server.config, now: server.now() });
  const stored = keys.find(({ purpose }) => purpose === 'phone')?.bytes ?? Buffer.alloc(0);
  let numbers = 0;

  /** Confirms a new number; returns it with its call and its confirmation. */
  async function confirmNumber() {
    const phone = `+4915112360${String(++numbers).padStart(3, '0')}`;
    const browser = server.client({ ip: `203.0.113.${numbers}` });
    const { call } = (await browser.post('/auth/phone/call', { phone, locale: 'en' })).body;
    const placed = (await server.calls()).find(({ to }) => to.replace(/\s/g, '') === phone);
    const digits = String(placed?.from).replace(/\D/g, '').slice(-4);
    const { phone_confirmation } = (await browser.post('/auth/phone/confirm', { call, digits })).body;
    return { phone, call, phone_confirmation };
  }

  test('signs confirmations that the previous release can verify', async () => {
    const { call, phone_confirmation } = await confirmNumber();
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
    const { phone, call } = await confirmNumber();
    const { browser } = await register(server);
    const response = await browser.post('/account/phone', { phone, phone_confirmation: writeConfirmation(key, call) });
    expect(statusAndCode(response)).toBe(outcome);
  });
});
