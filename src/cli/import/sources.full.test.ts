import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCommand } from '../../testing/command-line.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { openTestServer } from '../../testing/test-server.ts';
import { sources } from './sources.ts';

const bcrypt = '$2a$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i';
const argon2 = { salt: 'c29tZXNhbHQ=', value: 'CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc=' };
const inJson = JSON.stringify;
const created = Date.UTC(2020, 0, 31, 7, 8, 9);

/** The public key of an ES256 credential in COSE. */
function coseKey(): string {
  const { x = '', y = '' } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
  const parts = ['a5010203262001215820', Buffer.from(x, 'base64url'), '225820', Buffer.from(y, 'base64url')];
  return Buffer.concat(parts.map((part) => Buffer.from(part as string, 'hex'))).toString('base64url');
}

const realm = {
  realm: 'company',
  clients: [{ id: 'x', users: 'none', attributes: { note: 'a "quoted" } brace' } }],
  users: [
    {
      id: '5f1c2d3e-0000-4000-8000-000000000001',
      username: 'kim',
      email: 'kim@kc.example',
      firstName: 'Kim',
      lastName: 'Berg',
      emailVerified: true,
      enabled: false,
      createdTimestamp: created,
      groups: ['/staff', '/eu team'],
      attributes: {
        locale: ['de'],
        phoneNumber: ['+49 1512 3456789'],
        phoneNumberVerified: ['true'],
        terms_and_conditions: ['1580454489'],
      },
      credentials: [
        {
          type: 'password',
          secretData: inJson({ ...argon2, additionalParameters: {} }),
          credentialData: inJson({
            hashIterations: 2,
            algorithm: 'argon2',
            additionalParameters: { memory: ['65536'], type: ['id'], version: ['1.3'], parallelism: ['1'] },
          }),
        },
        {
          type: 'otp',
          secretData: inJson({ value: 'abcdefghijklmnopqrst' }),
          credentialData: inJson({ subType: 'totp', digits: 6, counter: 0, period: 30, algorithm: 'HmacSHA1' }),
        },
        {
          type: 'webauthn-passwordless',
          userLabel: 'Key',
          createdDate: created,
          secretData: '{}',
          credentialData: inJson({
            aaguid: '00000000-0000-0000-0000-000000000000',
            credentialId: 'a2V5IG9mIGtpbQ',
            counter: 7,
            credentialPublicKey: coseKey(),
            transports: ['INTERNAL', 'HYBRID'],
          }),
        },
      ],
    },
    { username: 'service-account-app', serviceAccountClientId: 'app', enabled: true },
    {
      username: 'two@kc.example',
      email: 'two@kc.example',
      enabled: true,
      credentials: [
        {
          type: 'password',
          secretData: inJson({ value: 'SwB5AbdlSJq+rUnZJvch0GWkKcE=', salt: 'c2FsdA==' }),
          credentialData: inJson({ hashIterations: 4096, algorithm: 'pbkdf2' }),
        },
      ],
    },
    {
      email: 'eight@kc.example',
      credentials: [{ type: 'otp', secretData: '{"value":"x"}', credentialData: '{"subType":"totp","digits":8}' }],
    },
  ],
};

const firebaseHash = 'lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==';
const hashConfig = `hash_config {
  algorithm: SCRYPT,
  base64_signer_key: jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,
  base64_salt_separator: Bw==,
  rounds: 8,
  mem_cost: 14,
}`;

interface Export {
  readonly from: keyof typeof sources;
  readonly file: string;
  readonly text: string;
  readonly words?: readonly string[];
  /** Columns of the added accounts. */
  readonly accounts: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Who can sign in with which password. */
  readonly signIn?: readonly [email: string, password: string];
  readonly out: string;
}

const isTime = expect.any(Number);

/** Of one account. */
const withoutPassword = 'without a password 1: an emailed code or “Forgot password” lets their owners in';

const exports: readonly Export[] = [
  {
    from: 'keycloak',
    file: 'realm.json',
    text: inJson(realm, null, 2),
    accounts: {
      'kim@kc.example': {
        id: '5f1c2d3e-0000-4000-8000-000000000001',
        ...{ name: 'Kim Berg', locale: 'de', created_at: created },
        ...{ phone: '+4915123456789', phone_confirmed_at: isTime, email_proven_at: isTime },
        ...{ locked_at: isTime, second_step_at: isTime },
        password_hash: `imported:$argon2id$v=19$m=65536,t=2,p=1$${argon2.salt}$${argon2.value}`,
      },
      'two@kc.example': { name: '', email_proven_at: null, locked_at: null, second_step_at: null },
    },
    signIn: ['two@kc.example', 'password'],
    out: [
      '2 added, 0 already existed, 1 refused',
      'left out 1: a service account',
      'changed in 1: group "eu team" is "eu-team"',
      'line 77: authenticator: not TOTP with SHA-1, six digits and 30 seconds',
    ].join('\n'),
  },
  {
    from: 'firebase',
    file: 'users.csv',
    text: `Uid1,one@fb.example,true,${firebaseHash},42xEC+ixf3L2lw==,Joe "J" Doe,${','.repeat(16)},1580454489000,1580454489000,+4915123456789,true,,\nUid2,two@fb.example,false,,,,${','.repeat(16)},1580454489000,,,,,\n`,
    words: ['--hash-config', 'hash-config.txt'],
    accounts: {
      'one@fb.example': {
        ...{ id: 'Uid1', name: 'Joe "J" Doe', created_at: created, locked_at: isTime },
        ...{ phone: '+4915123456789', phone_confirmed_at: isTime },
      },
      'two@fb.example': { id: 'Uid2', password_hash: 'imported:none', email_proven_at: null, locked_at: null },
    },
    out: `2 added, 0 already existed, 0 refused\n${withoutPassword}`,
  },
  {
    from: 'firebase',
    file: 'users.json',
    text: inJson({
      users: [
        {
          ...{ localId: 'Uid3', email: 'three@fb.example', emailVerified: true, passwordHash: firebaseHash },
          ...{ salt: '42xEC+ixf3L2lw==', createdAt: '1580454489000', providerUserInfo: [{ providerId: 'x' }] },
        },
      ],
    }),
    words: ['--hash-config', 'hash-config.txt'],
    accounts: { 'three@fb.example': { id: 'Uid3', locked_at: null } },
    signIn: ['three@fb.example', 'user1password'],
    out: '1 added, 0 already existed, 0 refused',
  },
  {
    from: 'auth0',
    file: 'auth0.json',
    text: [
      { _id: { $oid: '60425dc4' }, email: 'one@a0.example', email_verified: true, passwordHash: bcrypt },
      {
        user_id: 'google-oauth2|7',
        email: 'two@a0.example',
        name: 'Two',
        blocked: true,
        created_at: '2020-01-31T07:08:09Z',
      },
    ]
      .map((one) => inJson(one))
      .join('\n'),
    accounts: {
      'one@a0.example': { id: 'auth0|60425dc4', email_proven_at: isTime },
      'two@a0.example': {
        id: 'google-oauth2|7',
        password_hash: 'imported:none',
        locked_at: isTime,
        created_at: created,
      },
    },
    signIn: ['one@a0.example', 'abc'],
    out: `2 added, 0 already existed, 0 refused\n${withoutPassword}`,
  },
  {
    from: 'supabase',
    file: 'users.csv',
    text: [
      'id,email,encrypted_password,email_confirmed_at,phone,phone_confirmed_at,banned_until,raw_user_meta_data,created_at',
      `a-1,one@sb.example,${bcrypt},2020-02-01 00:00:00+00,4915123456789,2020-02-01 00:00:00+00,,"{""full_name"":""One O""}",2020-01-31 07:08:09.123456+00`,
      'a-2,two@sb.example,,,,,2999-01-01 00:00:00+00,,',
    ].join('\n'),
    accounts: {
      'one@sb.example': { id: 'a-1', name: 'One O', phone: '+4915123456789', phone_confirmed_at: isTime },
      'two@sb.example': { email_proven_at: null, locked_at: isTime },
    },
    signIn: ['one@sb.example', 'abc'],
    out: `2 added, 0 already existed, 0 refused\n${withoutPassword}`,
  },
  {
    from: 'kratos',
    file: 'identities.json',
    text: inJson([
      {
        id: 'kr-1',
        state: 'inactive',
        traits: { email: 'one@kr.example', name: { first: 'Ann', last: 'Lee' } },
        verifiable_addresses: [{ value: 'one@kr.example', via: 'email', verified: true }],
        created_at: '2020-01-31T07:08:09.123456Z',
        credentials: {
          password: { config: { hashed_password: bcrypt } },
          totp: { config: { totp_url: 'otpauth://totp/x?secret=JBSWY3DPEHPK3PXPJBSWY3DP&digits=6&period=30' } },
        },
      },
    ]),
    accounts: {
      'one@kr.example': {
        ...{ id: 'kr-1', name: 'Ann Lee', locked_at: isTime, second_step_at: isTime, email_proven_at: isTime },
        created_at: created + 123,
      },
    },
    out: '1 added, 0 already existed, 0 refused',
  },
  {
    from: 'authentik',
    file: 'users.json',
    text: inJson({
      pagination: { count: 2 },
      results: [
        {
          ...{ pk: 4, uid: 'ab12', email: 'one@ak.example', name: 'One', is_active: false, type: 'internal' },
          ...{ groups: ['7b7e'], groups_obj: [{ name: 'authentik Admins' }] },
        },
        { pk: 5, uid: 'cd34', type: 'internal_service_account', name: 'outpost' },
      ],
    }),
    accounts: { 'one@ak.example': { id: 'ab12', locked_at: isTime } },
    out: [
      '1 added, 0 already existed, 0 refused',
      'left out 1: a service account',
      withoutPassword,
      'changed in 1: group "authentik Admins" is "authentik-Admins"',
    ].join('\n'),
  },
  {
    from: 'zitadel',
    file: 'export.json',
    text: inJson({
      orgs: [
        {
          orgId: '1',
          humanUsers: [
            {
              userId: '104133391271651848',
              user: {
                profile: { firstName: 'Road', lastName: 'Runner', preferredLanguage: 'sv' },
                email: { email: 'one@zi.example', isEmailVerified: true },
                hashedPassword: { value: bcrypt },
              },
            },
          ],
        },
      ],
    }),
    accounts: { 'one@zi.example': { id: '104133391271651848', name: 'Road Runner', locale: 'en' } },
    signIn: ['one@zi.example', 'abc'],
    out: '1 added, 0 already existed, 0 refused\nchanged in 1: language "sv" is not supported: English',
  },
  {
    from: 'django',
    file: 'dump.json',
    text: inJson([
      { model: 'auth.group', pk: 1, fields: { name: 'staff' } },
      {
        model: 'auth.user',
        pk: 7,
        fields: {
          ...{ password: 'pbkdf2_sha256$10000$kjVJaVz6qsnJ$5yPHw3rwJGECpUf70daLGhOrQ5+AMxIJdz1c3bqK1Rs=' },
          ...{ email: 'one@dj.example', first_name: 'Dj', last_name: 'Ango', is_active: true, groups: [['staff']] },
          date_joined: '2020-01-31T07:08:09.123456Z',
        },
      },
      { model: 'auth.user', pk: 8, fields: { password: '!unusable', email: 'two@dj.example', is_active: false } },
      { model: 'auth.user', pk: 9, fields: { password: '', email: 'three@dj.example', groups: [1] } },
    ]),
    accounts: {
      'one@dj.example': { id: '7', name: 'Dj Ango', locked_at: null },
      'two@dj.example': { id: '8', password_hash: 'imported:none', locked_at: isTime },
    },
    signIn: ['one@dj.example', 'not a password'],
    out: [
      '2 added, 0 already existed, 1 refused',
      'left out 1: not an account, but auth.group',
      withoutPassword,
      'line 1: groups: numbers; export with --natural-foreign, which writes their names',
    ].join('\n'),
  },
  {
    from: 'wordpress',
    file: 'wp.json',
    text: inJson([
      {
        ...{ ID: 70, user_email: 'one@wp.example', display_name: 'W P', user_registered: '2020-01-31 07:08:09' },
        ...{ roles: 'editor,author', user_pass: '$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0' },
      },
    ]),
    accounts: { 'one@wp.example': { id: '70', name: 'W P', created_at: created } },
    signIn: ['one@wp.example', 'test12345'],
    out: '1 added, 0 already existed, 0 refused',
  },
  {
    from: 'aspnet',
    file: 'AspNetUsers.csv',
    text: [
      'Id,Email,EmailConfirmed,PasswordHash,PhoneNumber,PhoneNumberConfirmed,LockoutEnd,LockoutEnabled',
      'net-1,one@an.example,1,,0151 23456789,True,9999-12-31 23:59:59.9999999 +00:00,1',
    ].join('\n'),
    words: ['--country', 'DE'],
    accounts: {
      'one@an.example': { id: 'net-1', phone: '+4915123456789', phone_confirmed_at: isTime, locked_at: isTime },
    },
    out: `1 added, 0 already existed, 0 refused\n${withoutPassword}`,
  },
  {
    from: 'better-auth',
    file: 'users.jsonl',
    text: inJson({
      id: 'ba1',
      email: 'one@ba.example',
      emailVerified: true,
      banned: true,
      createdAt: '2020-01-31T07:08:09.000Z',
    }),
    accounts: { 'one@ba.example': { id: 'ba1', locked_at: isTime, created_at: created } },
    out: `1 added, 0 already existed, 0 refused\n${withoutPassword}`,
  },
  {
    from: 'laravel',
    file: 'users.csv',
    text: `id,name,email,email_verified_at,password,created_at\n71,La Ravel,one@la.example,,${bcrypt.replace('$2a', '$2y')},2020-01-31 07:08:09`,
    accounts: { 'one@la.example': { id: '71', email_proven_at: null, created_at: created } },
    signIn: ['one@la.example', 'abc'],
    out: '1 added, 0 already existed, 0 refused',
  },
  {
    from: 'ldif',
    file: 'people.ldif',
    text: [
      'version: 1\n\ndn: ou=people,dc=x\nobjectClass: organizationalUnit\nou: people\n',
      '# a comment',
      'dn: uid=one,ou=people,dc=x',
      'objectClass: inetOrgPerson\nentryUUID: ld-1\ncn:: SsO2cmcgTMO2dw==\nmail: one@ld.exa',
      ' mple\nuserPassword:: e1NTSEF9OFJNNEdBWWVwMkZXVDNSZ3JuOENXMEx3dkFSelFXeDA=\nnsAccountLock: TRUE',
      'createTimestamp: 20200131070809Z\nmemberOf: cn=staff,ou=groups,dc=x\nmobile: +49 1512 3456789\n',
    ].join('\n'),
    accounts: {
      'one@ld.example': {
        ...{ id: 'ld-1', name: 'Jörg Löw', phone: '+4915123456789' },
        locked_at: isTime,
        created_at: created,
      },
    },
    out: '1 added, 0 already existed, 0 refused\nleft out 1: not a person',
  },
];

describe.each(usualEngines)('vestibule import --from, on %s', async (engine) => {
  const server = await openTestServer(engine, {}, { fullHashes: true });

  test.each(exports)('$from: $file', async ({ from, file, text, words = [], accounts, signIn, out }) => {
    const { DATA_DIR, DATABASE_URL } = server.config;
    writeFileSync(join(DATA_DIR, 'hash-config.txt'), hashConfig);
    writeFileSync(join(DATA_DIR, file), text);
    const run = (...more: string[]) =>
      runCommand(['import', file, '--from', from, ...words, ...more], {
        folder: DATA_DIR,
        settings: { DATA_DIR, DATABASE_URL, PHONE_CONFIRMATION: 'off' },
      });
    const dry = await run('--dry-run');
    const done = await run();
    expect(done).toMatchObject({ out: `${out}\n`, err: '', code: / 0 refused/.test(out) ? 0 : 1 });
    const [count] = out.split(' ');
    expect(dry.out.split('\n')[0]).toBe(
      out
        .split('\n')[0]
        ?.replace(`${count} added, 0 already existed,`, `${count} would be added, 0 already exist,`)
        .replace('refused', 'would be refused'),
    );
    for (const [email, expected] of Object.entries(accounts)) {
      const kept = await server.store.selectFrom('accounts').selectAll().where('email', '=', email).executeTakeFirst();
      expect(kept).toMatchObject(expected);
    }
    if (signIn) {
      const [email, password] = signIn;
      expect(await server.client().post('/auth/login', { email, password })).toSay('200');
    }
    expect((await run()).out).toContain(`0 added, ${count} already existed`);
  });

  test('keeps passkeys with their user handle, the time of the terms, and groups', async () => {
    const { store } = server;
    const id = '5f1c2d3e-0000-4000-8000-000000000001';
    expect(await store.selectFrom('passkeys').selectAll().where('account_id', '=', id).execute()).toMatchObject([
      {
        id: 'a2V5IG9mIGtpbQ',
        algorithm: -7,
        counter: 7,
        name: 'Key',
        transports: 'internal,hybrid',
        created_at: created,
      },
    ]);
    const user = await store.selectFrom('passkey_users').selectAll().where('account_id', '=', id).executeTakeFirst();
    expect(user?.handle).toBe(Buffer.from(id).toString('base64url'));
    expect(await store.selectFrom('consents').selectAll().where('account_id', '=', id).execute()).toMatchObject([
      { kind: 'terms', given: 1, at: created },
    ]);
    const groups = await store.selectFrom('account_groups').select('name').where('account_id', '=', id).execute();
    expect(groups.map(({ name }) => name).sort()).toEqual(['eu-team', 'staff']);
  });

  test.each([
    ['keycloak', { credentials: [{ type: 'password', credentialData: '{}' }] }, 'password: the export lacks its hash'],
    ['keycloak', { credentials: [{ type: 'otp', secretData: '{' }] }, 'authenticator: the export lacks its secret'],
    ['kratos', { credentials: { password: { type: 'password' } } }, 'credentials: without their secrets; export with'],
    ['kratos', { credentials: { totp: { config: {} } } }, 'credentials: without their secrets; export with'],
  ])('refuses a person of %s whose secrets the export left out: %j', async (from, user, why) => {
    const { DATA_DIR, DATABASE_URL } = server.config;
    writeFileSync(
      join(DATA_DIR, 'cut.json'),
      inJson([{ email: 'cut@kc.example', traits: { email: 'cut@kr.example' }, ...user }]),
    );
    const { out, code } = await runCommand(['import', 'cut.json', '--from', from], {
      folder: DATA_DIR,
      settings: { DATA_DIR, DATABASE_URL, PHONE_CONFIRMATION: 'off' },
    });
    expect([out, code]).toEqual([expect.stringContaining(`0 added, 0 already existed, 1 refused\nline 1: ${why}`), 1]);
  });

  test('every source has an export here', () =>
    expect([...new Set(exports.map(({ from }) => from))].sort()).toEqual(Object.keys(sources).sort()));
});
