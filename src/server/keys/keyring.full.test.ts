import { describe, expect, test } from 'vitest';
import type { Engine } from '../../store/database.ts';
import { openClient } from '../../testing/client.ts';
import { runCommandProcess } from '../../testing/command-line.ts';
import { freshDatabase, usualEngines } from '../../testing/databases/databases.ts';
import { openTestNode, type TestNode } from '../../testing/test-node.ts';

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

async function register({ url }: TestNode): Promise<void> {
  const filled = {
    ...credentials,
    name: 'Ada',
    phone: '+4915112345678',
    password_repeat: credentials.password,
    consent_personal_data: true,
    consent_offers: false,
    locale: 'en',
  };
  expect(await openClient(url).post('/auth/register', filled)).toSay('201');
}

async function signIn({ url }: TestNode): Promise<void> {
  expect(await openClient(url).post('/auth/login', credentials)).toSay('200');
}

describe.each(usualEngines)('the pepper, on %s,', (engine) => {
  test.each([
    ['another one', right, wrong],
    ['none', right, {}],
    ['one for passwords without', {}, right],
  ])('is refused by a start and by doctor once an account exists: %s', async (_name, first, then) => {
    const { start, doctor } = await openDatabase(engine);
    await start(first, register);
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
    await start(right, register);
    await start(right, signIn);
    await expect(start(wrong)).rejects.toThrow(message);
  });
});
