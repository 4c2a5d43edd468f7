import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { sql } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { hours, minutes } from '../contract/units.ts';
import { runCommand } from '../testing/command-line.ts';
import { freshDatabase, migratedDatabase, openTestStore } from '../testing/databases/databases.ts';
import { testCertificate } from '../testing/mail/certificates.ts';
import { testClock } from '../testing/outbox.ts';
import { startCleanUp } from './regular-jobs.ts';
import { readConfig } from './settings/config.ts';

const encrypt = (socket: Socket) => {
  socket.write('S');
  new TLSSocket(socket, { isServer: true, ...testCertificate }).on('error', () => undefined);
};

test.each<[string, (socket: Socket) => void, RegExp]>([
  [
    'with a certificate of an unknown authority',
    encrypt,
    /^(?:self-signed certificate|unable to verify the first certificate).*set NODE_EXTRA_CA_CERTS to the file of its authority$/,
  ],
  ['without TLS', (socket) => void socket.write('N'), /^The server does not support SSL connections$/],
  ['that never responds', () => undefined, /^it accepts connections, but does not respond$/],
  ['that hangs up', (socket) => void socket.end(), /./],
  ['that is not a PostgreSQL', (socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), /./],
])('a PostgreSQL %s is reported in one sentence', async (_what, respond, says) => {
  const { dataDir } = await freshDatabase('sqlite');
  const server = createServer((socket) => {
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => undefined).once('data', () => respond(socket));
  });
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { code, err } = await migrate(dataDir, `postgres://nobody:secret@127.0.0.1:${port}/none?sslmode=verify-full`);
  const [, problem = err] = /^DATABASE_URL: PostgreSQL cannot be used: (.*)\n$/.exec(err) ?? [];
  expect(problem).toMatch(says);
  expect([code, err.split('\n').length]).toEqual([2, 2]);
});

test('a name that DNS does not know is reported in one sentence', async () => {
  const { dataDir } = await freshDatabase('sqlite');
  const { code, err } = await migrate(dataDir, 'postgres://nobody:secret@nowhere.invalid/none');
  expect([code, err]).toEqual([
    2,
    expect.stringMatching(
      /^DATABASE_URL: PostgreSQL cannot be used: the address of nowhere\.invalid cannot be looked up \(E[A-Z_]+\)\n$/,
    ),
  ]);
});

const migrate = (folder: string, url: string) =>
  runCommand(['migrate'], { folder, settings: { DATA_DIR: folder, DATABASE_URL: url, PHONE_CONFIRMATION: 'off' } });

test('a clean-up counts only once it has deleted all outdated rows', async () => {
  const database = await migratedDatabase('sqlite');
  const [store, clock, errors] = [openTestStore(database), testClock(), [] as string[]];
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const log = { error: (_: object, message: string) => void errors.push(message) } as never;
  const config = readConfig({ DATA_DIR: database.dataDir });
  const { finishedAt, stop } = startCleanUp({ store, now: clock.now, config, log, parts: [] });
  onTestFinished(stop);
  expect(finishedAt()).toBe(clock.now());

  clock.pass(minutes(1));
  vi.advanceTimersByTime(minutes(1));
  await expect.poll(finishedAt).toBe(clock.now());
  await sql`drop table logout_notices`.execute(store);
  clock.pass(hours(1));
  vi.advanceTimersByTime(hours(1));
  await expect.poll(() => errors).toEqual(['clean-up failed']);
  expect(finishedAt()).toBe(clock.now() - hours(1));
});

const root = join(import.meta.dirname, '..', '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const sources = globSync('src/**/*.ts', { cwd: root }).filter(
  (file) => !file.includes('.test.') && !file.includes('testing/'),
);
const documents = ['docs/monitor.md', 'docs/troubleshooting.md'].map(read).join('\n').replaceAll(/\s+/g, ' ');

/** The arguments of a call, up to the parenthesis that closes it. */
function argumentsAt(text: string, start: number): string {
  let depth = 1;
  let end = start;
  for (; depth > 0 && end < text.length; end += 1) {
    if (text[end] === '(') depth += 1;
    if (text[end] === ')') depth -= 1;
  }
  return text.slice(start, end - 1);
}

/** The messages that a file logs as a warning or an error: the last argument of each call, also if it is a constant. */
function messagesIn(text: string): string[] {
  return [...text.matchAll(/\blog\??\.(?:warn|error|fatal)\(/g)].flatMap((call) => {
    const given = argumentsAt(text, call.index + call[0].length)
      .trim()
      .replace(/,$/, '');
    const written = /'((?:[^'\\]|\\.)+)'$/.exec(given)?.[1];
    const named = /(\w+)$/.exec(given)?.[1] ?? '';
    return written ?? new RegExp(`const ${named} =\\s*'([^']+)'`).exec(text)?.[1] ?? [];
  });
}

const messages = [...new Set(sources.flatMap((file) => messagesIn(read(file))))];

test('the search finds the messages of the source', () => {
  expect(messages.length).toBeGreaterThan(20);
  expect(messages).toContain('the database file is damaged: restore a backup');
  expect(messages).toContain('email given up');
});

test.each(messages)('the documents explain the warning or error “%s”', (message) => {
  expect(documents).toContain(message);
});
