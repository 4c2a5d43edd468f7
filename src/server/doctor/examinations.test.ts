import { expect, test } from 'vitest';
import { minutes, seconds } from '../../contract/units.ts';
import { freshDatabase } from '../../testing/databases/databases.ts';
import { startMailServer } from '../../testing/mail/mail-server.ts';
import { readConfig } from '../settings/config.ts';
import { openExaminations } from './examinations.ts';

test('a node examines itself once at a time, and again when asked or after five minutes', async () => {
  let greeted = 0;
  const { port } = await startMailServer({
    onConnect(_session, done) {
      greeted += 1;
      done();
    },
  });
  const { dataDir } = await freshDatabase('sqlite');
  const config = readConfig({
    NODE_ENV: 'test',
    DATA_DIR: dataDir,
    PHONE_CONFIRMATION: 'off',
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    MAIL_FROM: 'a@sign-in.example',
  });
  let now = Date.UTC(2026, 10, 21);
  const examined = openExaminations(config, () => now);
  /** How often it has examined itself after so many requests at the same moment. */
  const ask = async (times: number, again: boolean) => {
    await Promise.all(Array.from({ length: times }, () => examined({ again })));
    await expect.poll(async () => (await examined({ again: false })).isRunning).toBe(false);
    return greeted;
  };
  expect(await ask(3, false)).toBe(1);
  expect(await ask(3, true)).toBe(1);
  now += seconds(10);
  expect(await ask(3, false)).toBe(1);
  expect(await ask(3, true)).toBe(2);
  expect((await examined({ again: false })).at).toBe(now);
  now += minutes(5);
  expect(await ask(1, false)).toBe(3);
  now -= minutes(60);
  expect(await ask(1, false)).toBe(4);
});
