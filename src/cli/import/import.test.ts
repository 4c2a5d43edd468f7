import { createHash, createHmac, pbkdf2Sync, randomUUID, scryptSync } from 'node:crypto';
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

describe.each(usualEngines)('vestibule import, on %s', async (engine) => {
  const server = await openTestServer(engine, { PASSWORD_PEPPER: 'pepper of the service' }, { fullHashes: true });
  const importing = async (
    file: string,
    text: string | Buffer,
    more: { words?: string[]; signal?: AbortSignal } = {},
  ) => {
    const { DATA_DIR, DATABASE_URL } = server.config;
    writeFileSync(join(DATA_DIR, file), text);
    const words = ['import', file, ...(more.words ?? [])];
    const place = { folder: DATA_DIR, settings: { DATA_DIR, DATABASE_URL, PHONE_CONFIRMATION: 'off' } };
    return more.signal ? runCommandProcess(words, { ...place, signal: more.signal }) : runCommand(words, place);
  };
  const signIn = async (email: string, password: string) =>
    statusAndCode(await server.client().post('/auth/login', { email, password }));
  const kept = (store: Store, email: string) =>
    store.selectFrom('accounts').selectAll().where('email', '=', email).executeTakeFirstOrThrow();

  test('reads CSV as spreadsheets write it, and gives the reason for each refused row', async () => {
    const text = [
      '\uFEFFEmail,name,phone,phone_confirmed,organization,locale,created_at,email_verified,consent_offers',
      'Ödön@firma.example,"Ödön ""Öcsi""\nNagy",06 20 123 4567,yes,"Nagy, Kft.",hu-HU,2019-05-06T07:08:09Z,false,true',
      'no address,Somebody,,,,,,,',
      'far@firma.example,Far,12,,,xx,2999-01-01,maybe,',
      'plain@firma.example,,,,,,,,',
      'PLAIN@firma.example,Twice,,,,,,,',
    ].join('\r\n');
    const done = await importing('people.csv', text, { words: ['--json'] });
    expect(done.code).toBe(1);
    expect(JSON.parse(done.out)).toMatchObject({
      ...{ added: 2, there: 0, refusals: 3 },
      refused: [
        { line: 4, why: expect.stringMatching(/^email: email_invalid/) },
        {
          line: 5,
          why: expect.stringMatching(
            /locale: not a supp.*"xx".*email_verified: must be true or false.*created_at: not a valid/,
          ),
        },
        { line: 7, why: 'the same address as in line 6: PLAIN@firma.example' },
      ],
    });
    expect(await kept(server.store, 'Ödön@firma.example')).toMatchObject({
      name: 'Ödön "Öcsi" Nagy',
      phone: '+36201234567',
      phone_confirmed_at: expect.any(Number),
      organization: 'Nagy, Kft.',
      locale: 'hu',
      created_at: Date.UTC(2019, 4, 6, 7, 8, 9),
      email_proven_at: null,
    });
    expect(await kept(server.store, 'plain@firma.example')).toMatchObject({ name: '', phone: '', locale: 'en' });
  });

  test('adds accounts to groups, for applications that admit them', async () => {
    const groupsIn = async (email: string) => {
      const { DATA_DIR, DATABASE_URL } = server.config;
      const { out } = await runCommand(['accounts', 'export', email], {
        folder: DATA_DIR,
        settings: { DATA_DIR, DATABASE_URL },
      });
      return JSON.parse(out).groups;
    };
    const csv =
      'email,groups\nmember1@old.example,"staff, admins;staff"\nmember2@old.example,\nmember3@old.example,no spaces!\n';
    expect((await importing('groups.csv', csv)).out).toBe(
      '2 added, 0 already existed, 1 refused\nline 4: groups: "spaces!" is not the name of a group, in "no spaces!"\n',
    );
    expect(await groupsIn('member1@old.example')).toEqual(['admins', 'staff']);
    expect(await groupsIn('member2@old.example')).toEqual([]);
    const many = Array.from({ length: 101 }, (_, at) => `team-${at}`);
    const rows = [
      { email: 'member4@old.example', groups: ['staff', 'org:eu/sales'] },
      { email: 'member5@old.example', groups: many },
      { email: 'member6@old.example', groups: [7] },
      // Existing accounts keep their groups.
      { email: 'member1@old.example', groups: ['guests'] },
      ...Array.from({ length: 400 }, (_, at) => ({ email: `team${at}@old.example`, groups: many.slice(1) })),
    ];
    const done = await importing('groups.jsonl', rows.map((row) => JSON.stringify(row)).join('\n'), {
      words: ['--json'],
    });
    expect(JSON.parse(done.out)).toMatchObject({
      added: 401,
      there: 1,
      refused: [
        { line: 2, why: 'groups: must be at most 100 names' },
        { line: 3, why: expect.stringMatching(/^groups/) },
      ],
    });
    expect(await groupsIn('member4@old.example')).toEqual(['org:eu/sales', 'staff']);
    expect(await groupsIn('member1@old.example')).toEqual(['admins', 'staff']);
    expect(await groupsIn('team399@old.example')).toHaveLength(100);
  });

  test('without a hash, no password works until the owner sets one', async () => {
    const email = 'recovers@old.example';
    expect((await importing('one.jsonl', JSON.stringify({ email, name: 'Rec Overs' }))).code).toBe(0);
    expect(await signIn(email, 'none')).toBe('401 incorrect_login_or_password');
    const browser = server.client();
    await browser.post('/auth/recovery', { email, locale: 'en' });
    const [, hash] = /[?&]hash=([\w-]+)/.exec((await server.mailTo(email)).text) ?? [];
    const password = 'wind over high corn';
    await browser.post('/auth/reset-password', { email, hash, password, password_repeat: password });
    expect(await signIn(email, password)).toBe('200');
    expect((await kept(server.store, email)).name).toBe('Rec Overs');
  });

  test.each([
    [
      'would take a minute',
      '$2b$31$abcdefghijklmnopqrstuuK3Qx1eZ1e1e1e1e1e1e1e1e1e1e1e1e',
      '$2b$31$… would take too much',
    ],
    [
      'would need four gigabytes',
      '$argon2id$v=19$m=4194304,t=3,p=4$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
      '$argon2id$v=19$… would take too much',
    ],
    [
      'is a plain digest',
      '5f4dcc3b5aa765d61d8327deb882cf99',
      '32 characters without a known prefix is a plain digest without a salt',
    ],
    ['is a plain digest of LDAP', '{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=', '{SHA}… is a plain digest without a salt'],
    ['is cut off', '$2y$10$abcdefghijkl', '$2y$10$… is not complete; expected bcrypt: $2b$12$ and 53 characters'],
    ['is unknown', 'argon9:secret-secret', 'not a supported hash: argon9:…'],
  ])('a hash that %s is refused, without its secret characters', async (_, password_hash, why) => {
    const text = JSON.stringify({ email: 'dear@old.example', password_hash });
    expect(await importing('dear.jsonl', text)).toMatchObject({
      code: 1,
      out: expect.stringContaining(`0 added, 0 already existed, 1 refused\nline 1: password_hash: ${why}`),
    });
  });

  test('a file that ends in the middle of a row imports the complete rows, and reports where it ends', async () => {
    const csv = await importing('half.csv', 'email,name\nhalf1@old.example,A\nhalf2@old.example,"B', {
      words: ['--json'],
    });
    expect([csv.code, JSON.parse(csv.out)]).toMatchObject([
      1,
      { added: 1, refused: [{ line: 3, why: expect.stringMatching(/^Quote Not Closed/) }] },
    ]);
    expect((await kept(server.store, 'half1@old.example')).name).toBe('A');
  });

  test.each<[string, string, string | Buffer, string]>([
    [
      'a row with too few cells',
      'csv',
      'email,name\nEMAIL\nother-EMAIL,B\n',
      '1 added, 0 already existed, 1 refused\nline 2: Invalid Record Length',
    ],
    [
      'an endless cell',
      'csv',
      `email,name\nEMAIL,A\nother-EMAIL,"${'x'.repeat(1e6)}"\n`,
      '1 added, 0 already existed, 1 refused\nline 3: Max Record Size',
    ],
    [
      'an endless line',
      'jsonl',
      `{"email":"EMAIL"}\n{"email":"x${'x'.repeat(1e6)}"}\n{"email":"other-EMAIL"}`,
      '2 added, 0 already existed, 1 refused\nline 2: longer than 262144 characters',
    ],
    [
      'characters in another encoding',
      'csv',
      Buffer.from('email,name\nEMAIL,J\xf6rg\nother-EMAIL,Anna\n', 'latin1'),
      '1 added, 0 already existed, 1 refused\nline 2: not in UTF-8',
    ],
    [
      'characters in another encoding',
      'jsonl',
      Buffer.from('{"email":"EMAIL","name":"J\xf6rg"}\r\n', 'latin1'),
      '0 added, 0 already existed, 1 refused\nline 1: not in UTF-8',
    ],
    [
      'a line separator, which JSON allows within a string',
      'jsonl',
      '{"email":"EMAIL","name":"A\u2028B"}',
      '1 added, 0 already existed, 0 refused',
    ],
    [
      'a line break in the name of a field',
      'jsonl',
      '{"email":"EMAIL","a\\n2 added":1}',
      '0 added, 0 already existed, 1 refused\nline 1: a\\u000a2 added: unknown field\n',
    ],
    [
      'a fraction of a millisecond',
      'jsonl',
      '{"email":"EMAIL","created_at":1577836800000.5}',
      '0 added, 0 already existed, 1 refused\nline 1: created_at: not a valid past time',
    ],
  ])('%s, in %s, affects only its own row', async (_, kind, text, expected) => {
    const own = `row${randomUUID()}@old.example`;
    const filled =
      typeof text === 'string'
        ? text.replaceAll('EMAIL', own)
        : Buffer.from(text.toString('latin1').replaceAll('EMAIL', own), 'latin1');
    const { out, err } = await importing(`rows.${kind}`, filled);
    expect([out.slice(0, expected.length), err]).toEqual([expected, '']);
  });

  test('shows the correct usage for invalid arguments', async () => {
    const { DATA_DIR, DATABASE_URL } = server.config;
    const way = { folder: DATA_DIR, settings: { DATA_DIR, DATABASE_URL, PHONE_CONFIRMATION: 'off' } };
    expect(await runCommand(['import'], way)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^import FILE…: .*email/),
    });
    expect(await runCommand(['import', 'nowhere.csv'], way)).toMatchObject({ code: 2 });
    const words = ['import', 'wrong.csv'];
    writeFileSync(join(DATA_DIR, 'wrong.csv'), 'email,"name\nx@y.example,Z\n');
    expect(await runCommand(words, way)).toMatchObject({ code: 2, err: expect.stringMatching(/wrong\.csv: Quote/) });
    writeFileSync(join(DATA_DIR, 'wrong.csv'), 'email,name,E-Mail,email\nx@y.example,Z,,z@y.example\n');
    expect(await runCommand(words, way)).toMatchObject({ code: 2, err: 'the first line contains email twice\n' });
    writeFileSync(join(DATA_DIR, 'wrong.csv'), 'email,nickname\nx@y.example,Z\n');
    expect(await runCommand(words, way)).toMatchObject({
      code: 1,
      out: expect.stringContaining('nickname: unknown field'),
    });
  });

  test('accepts hashes of every kind, verifies them at the first sign-in, and replaces them with its own', {
    tags: 'full',
  }, async () => {
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

  test('can be repeated after it was killed', { tags: 'full' }, async () => {
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
