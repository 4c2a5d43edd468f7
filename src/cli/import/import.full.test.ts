import { createHash, createHmac, pbkdf2Sync, scryptSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../store/database.ts';
import { statusAndCode } from '../../testing/client.ts';
import { runCommand, runCommandProcess } from '../../testing/command-line.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { openTestServer } from '../../testing/test-server.ts';

const base64 = (text: string, from: BufferEncoding = 'utf8') =>
  Buffer.from(text, from).toString('base64').replaceAll('=', '');

const digest = (name: string, ...parts: string[]) =>
  parts.reduce((hash, part) => hash.update(part), createHash(name)).digest();
const bcryptOf = (text: string) => hashSync(text, 4);
const salt16 = Buffer.from('a salt of 16 by.');

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
  argon2WithPadding: [
    'password',
    '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ=$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc=',
  ],
  djangoArgon2: [
    'password',
    'argon2$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
  ],
  djangoBcrypt: ['abc', 'bcrypt$$2a$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i'],
  djangoBcryptSha256: [
    'wind over corn',
    `bcrypt_sha256$${bcryptOf(digest('sha256', 'wind over corn').toString('hex'))}`,
  ],
  djangoScrypt: [
    'pleaseletmein',
    `scrypt$16384$SodiumChloride$8$1$${base64('7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887', 'hex')}==`,
  ],
  werkzeug: [
    'pleaseletmein',
    'scrypt:16384:8:1$SodiumChloride$7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887',
  ],
  kratosScrypt: [
    'pleaseletmein',
    `$scrypt$ln=16384,r=8,p=1$${base64('SodiumChloride')}$${base64('7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887', 'hex')}`,
  ],
  betterAuth: [
    'wind over corn',
    `${'0f'.repeat(16)}:${scryptSync('wind over corn', '0f'.repeat(16), 64, { N: 16384, r: 16, p: 1, maxmem: 2 ** 27 }).toString('hex')}`,
  ],
  wordpress: ['test12345', '$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0'],
  wordpress68: [
    'wind over corn',
    `$wp${bcryptOf(createHmac('sha384', 'wp-sha384').update('wind over corn').digest('base64')).replace('$2b$', '$2y$')}`,
  ],
  unixSha512: [
    'Hello world!',
    '{CRYPT}$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1',
  ],
  unixSha256: ['Hello world!', '$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5'],
  ldapSsha: [
    'wind over corn',
    `{SSHA}${Buffer.concat([digest('sha1', 'wind over corn', 'salt'), Buffer.from('salt')]).toString('base64')}`,
  ],
  ldapSsha512: [
    'wind over corn',
    `{SSHA512}${Buffer.concat([digest('sha512', 'wind over corn', 'saltsalt'), Buffer.from('saltsalt')]).toString('base64')}`,
  ],
  ldapPbkdf2: [
    'password',
    `{PBKDF2}4096$${base64('salt')}$${base64('4b007901b765489abead49d926f721d065a429c1', 'hex')}`,
  ],
  aspnet2: [
    'wind over corn',
    Buffer.concat([Buffer.from([0]), salt16, pbkdf2Sync('wind over corn', salt16, 1000, 32, 'sha1')]).toString(
      'base64',
    ),
  ],
  aspnet3: [
    'wind over corn',
    Buffer.concat([
      Buffer.from('01000000020000c35000000010', 'hex'),
      salt16,
      pbkdf2Sync('wind over corn', salt16, 50_000, 32, 'sha512'),
    ]).toString('base64'),
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
      '20000 would be added, 0 already exist, 0 would be refused\n',
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
