import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../store/database.ts';
import { statusAndCode } from '../../testing/client.ts';
import { runCommand, runCommandProcess } from '../../testing/command-line.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { openTestServer } from '../../testing/test-server.ts';

const base64 = (text: string, from: BufferEncoding = 'utf8') =>
  Buffer.from(text, from).toString('base64').replaceAll('=', '');

/** Published examples: from RFC 6070, RFC 7914, and the libraries that write such hashes. */
const hashes: Readonly<Record<string, readonly [password: string, hash: string]>> = {
  bcrypt: ['abc', '$2a$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i'],
  argon2id: ['password', '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'],
  argon2i: ['password', '$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA'],
  scrypt: [
    'pleaseletmein',
    `$scrypt$ln=14,r=8,p=1$${base64('SodiumChloride')}$${base64('7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887', 'hex')}`,
  ],
  firebase: [
    'user1password',
    '$firebase-scrypt$ln=14,r=8,sep=Bw==,key=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
  ],
  pbkdf2sha1: [
    'password',
    `$pbkdf2$4096$${base64('salt')}$${base64('4b007901b765489abead49d926f721d065a429c1', 'hex')}`,
  ],
  pbkdf2sha512: [
    'rain under tin roofs',
    '$pbkdf2-sha512$i=25000$YSBzYWx0IG9mIHNpeHRlZW4$5yr5ssLBQHSi+t9URUsosFXTVZ5LaLplql6P7mkuB8DB7KqgW10Gwc6Whi66isuPYB1KPyvs1CiAuPXZjbv/NA',
  ],
  django: ['not a password', 'pbkdf2_sha256$10000$kjVJaVz6qsnJ$5yPHw3rwJGECpUf70daLGhOrQ5+AMxIJdz1c3bqK1Rs='],
};

const kinds = Object.keys(hashes);

describe.each(usualEngines)('vestibule import, on %s', (engine) => {
  const opened = openTestServer(engine, { PASSWORD_PEPPER: 'pepper of the service' }, { fullHashes: true });
  const importing = async (
    file: string,
    text: string | Buffer,
    more: { words?: string[]; signal?: AbortSignal } = {},
  ) => {
    const { DATA_DIR, DATABASE_URL } = (await opened).config;
    writeFileSync(join(DATA_DIR, file), text);
    const words = ['import', file, ...(more.words ?? [])];
    const place = { folder: DATA_DIR, settings: { DATA_DIR, DATABASE_URL, PHONE_CONFIRMATION: 'off' } };
    return more.signal ? runCommandProcess(words, { ...place, signal: more.signal }) : runCommand(words, place);
  };
  const signIn = async (email: string, password: string) =>
    statusAndCode(await (await opened).client().post('/auth/login', { email, password }));
  const kept = (store: Store, email: string) =>
    store.selectFrom('accounts').selectAll().where('email', '=', email).executeTakeFirstOrThrow();

  test('accepts hashes of every kind, verifies them at the first sign-in, and replaces them with its own', async () => {
    const server = await opened;
    const rows = kinds.map((kind) => ({ email: `${kind}@old.example`, name: kind, password_hash: hashes[kind]?.[1] }));
    const text = rows.map((row) => JSON.stringify(row)).join('\n');
    expect(await importing('all.jsonl', text)).toMatchObject({ code: 0, err: '' });
    for (const [kind, [password]] of Object.entries(hashes)) {
      const email = `${kind}@old.example`;
      expect([kind, await signIn(email, `${password}x`)]).toEqual([kind, '401 incorrect_login_or_password']);
      expect([kind, await signIn(email, password)]).toEqual([kind, '200']);
      expect((await kept(server.store, email)).password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
      expect([kind, await signIn(email, `${password}x`)]).toEqual([kind, '401 incorrect_login_or_password']);
      expect([kind, await signIn(email, password)]).toEqual([kind, '200']);
    }
  });

  test('can be repeated after it was killed', async () => {
    const server = await opened;
    const count = 20_000;
    const text = Array.from({ length: count }, (_, at) =>
      JSON.stringify({ email: `many${at}@old.example`, name: `Person ${at}`, phone: '+49 1512 3456789' }),
    ).join('\n');
    const many = async () => {
      const { total } = await server.store
        .selectFrom('accounts')
        .select((row) => row.fn.countAll<number>().as('total'))
        .where('email', 'like', 'many%')
        .executeTakeFirstOrThrow();
      return Number(total);
    };
    expect((await importing('many.jsonl', text, { words: ['--dry-run'] })).out).toBe(
      '20000 could be added, 0 refused\n',
    );
    expect(await many()).toBe(0);
    const abort = new AbortController();
    const killed = importing('many.jsonl', text, { signal: abort.signal });
    await expect.poll(many, { interval: 10 }).toBeGreaterThan(0);
    abort.abort();
    expect((await killed).code).not.toBe(0);
    const before = await many();
    expect(before).toBeLessThan(count);
    const done = await importing('many.jsonl', text, { words: ['--json'] });
    expect([done.code, JSON.parse(done.out)]).toMatchObject([0, { added: count - before, there: before }]);
    expect(await many()).toBe(count);
  });
});
