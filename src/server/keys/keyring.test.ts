import { describe, expect, test } from 'vitest';
import { subkey, writeConfirmation } from '../../security/macs.ts';
import type { Engine } from '../../store/database.ts';
import { openClient } from '../../testing/client.ts';
import { runCommandProcess } from '../../testing/command-line.ts';
import { freshDatabase, usualEngines } from '../../testing/databases/databases.ts';
import { confirmedPhone, form, register } from '../../testing/people.ts';
import { openTestNode, type TestNode } from '../../testing/test-node.ts';
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

const secret = { SECRET_KEY: 'a secret key for these tests, of enough length' };
const right = { PASSWORD_PEPPER: 'the pepper of this service' };
const wrong = { PASSWORD_PEPPER: 'the pepper of another service' };
const message =
  'PASSWORD_PEPPER: the passwords in the database were hashed with another pepper or without one; restore the setting';
const credentials = { email: 'ada@pepper.example', password: 'correct horse battery' };

async function openDatabase(engine: Engine) {
  const database = await freshDatabase(engine);
  const start = async (settings: Record<string, string>, use: (node: TestNode) => Promise<void> = async () => {}) => {
    const node = await openTestNode({
      database,
      settings: { PHONE_CONFIRMATION: 'off', ...secret, ...settings },
      clock: { offset: 0 },
    });
    try {
      await use(node);
    } finally {
      await node.close();
    }
  };
  const doctor = async (settings: Record<string, string>) => {
    const { databaseUrl, dataDir } = database;
    const given = { DATA_DIR: dataDir, PHONE_CONFIRMATION: 'off', ...secret, ...settings };
    const run = await runCommandProcess(['doctor', '--quick'], {
      folder: dataDir,
      settings: databaseUrl ? { ...given, DATABASE_URL: databaseUrl } : given,
    });
    return /^(\w+) +keys +(.*)$/m.exec(run.out)?.slice(1).join(' ');
  };
  return { start, doctor };
}

async function registerAda({ url }: TestNode): Promise<void> {
  const { email, password } = credentials;
  expect(await openClient(url).post('/auth/register', form({ email, password, password_repeat: password }))).toSay(
    '201',
  );
}

async function signIn({ url }: TestNode): Promise<void> {
  expect(await openClient(url).post('/auth/login', credentials)).toSay('200');
}

describe.each(usualEngines)('the pepper, on %s,', { tags: 'full' }, (engine) => {
  test.each([
    ['another one', right, wrong],
    ['none', right, {}],
    ['one for passwords without', {}, right],
  ])('is refused by a start and by doctor once an account exists: %s', async (_name, first, then) => {
    const { start, doctor } = await openDatabase(engine);
    await start(first, registerAda);
    await expect(start(then)).rejects.toThrow(message);
    expect(await doctor(then)).toBe(`FAILED ${message}`);
    await start(first, signIn);
    expect(await doctor(first)).toBe('ok 1 signing, sealed');
  });

  test('may change until the first account exists', async () => {
    const { start, doctor } = await openDatabase(engine);
    await start({});
    expect(await doctor(wrong)).toBe('ok 1 signing, sealed');
    await start(wrong);
    await start(right, registerAda);
    await start(right, signIn);
    await expect(start(wrong)).rejects.toThrow(message);
  });
});
