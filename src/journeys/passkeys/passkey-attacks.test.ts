import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { usualEngines } from '../../testing/databases/databases.ts';
import {
  addPasskey,
  type Claims,
  creationOptions,
  openAuthenticator,
  signInOptions,
  signInWith,
} from '../../testing/passkey-authenticator.ts';
import { register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

const noise = (bytes: number) => new Uint8Array(randomBytes(bytes));
const lastByteFlipped = (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -1), Buffer.of((bytes.at(-1) ?? 0) ^ 1)]);

/** Lies that concern both the creation and the use of a passkey. */
const lies: readonly [what: string, claims: Partial<Claims>][] = [
  ['a foreign origin', { origin: 'https://evil.example' }],
  ['a look-alike origin', { origin: 'https://dооr.example' }],
  ['an origin that begins with ours', { origin: 'https://door.example.evil.example' }],
  ['a subdomain', { origin: 'https://www.door.example' }],
  ['another port', { origin: 'https://door.example:8443' }],
  ['plain http', { origin: 'http://door.example' }],
  ['an origin with a path', { origin: 'https://door.example/' }],
  ['the hash of another domain', { rpId: 'evil.example' }],
  ['a frame', { crossOrigin: true }],
  ['a frame, as text', { crossOrigin: 'true' }],
  ['a frame in a known page', { crossOrigin: true, topOrigin: 'https://door.example' }],
  ['a top origin without a frame', { topOrigin: 'https://evil.example' }],
  ['another kind of request', { type: 'payment.get' }],
  ['bytes after the signed data', { trailing: Uint8Array.of(0) }],
  ['an id that differs from rawId', { rawId: 'AAAA' }],
  ['no presence', { present: false }],
  ['no verification', { verified: false }],
  ['a backup without eligibility', { backupEligible: false, backedUp: true }],
];

describe.each(usualEngines)('on %s', async (engine) => {
  const server = await openTestServer(engine);
  const person = register(server);

  describe('a sign-in with a passkey is refused for', () => {
    const owned = person.then(({ browser }) => addPasskey(browser));
    test.each<[what: string, claims: Partial<Claims>]>([
      ...lies,
      ['a response to a creation', { type: 'webauthn.create' }],
      ['a foreign user handle', { userHandle: randomBytes(32).toString('base64url') }],
      ['a bogus signature', { signature: lastByteFlipped }],
      ['an empty signature', { signature: () => Buffer.alloc(0) }],
      ['a signature that is not one', { signature: () => Buffer.from('00'.repeat(70), 'hex') }],
    ])('%s', async (_what, claims) => {
      const stranger = server.client();
      expect(await signInWith(stranger, await owned, claims)).toSay('401 passkey_refused');
      expect(stranger.token).toBeUndefined();
      expect(await signInWith(stranger, await owned)).toSay('200');
    });
  });

  describe('a new passkey is accepted in spite of', () => {
    const packed = (entries: [string, unknown][]) => ({ format: 'packed', statement: new Map(entries) });
    // Nobody asked for the statement, so it is ignored: any client could leave it out.
    test.each<[what: string, claims: Partial<Claims>]>([
      ['an attestation that was not requested', { format: 'apple', statement: new Map([['x5c', []]]) }],
      [
        'an attestation with certificates',
        packed([
          ['alg', -7],
          ['sig', noise(70)],
          ['x5c', [noise(500)]],
        ]),
      ],
      [
        'a signature of its own that we cannot verify',
        packed([
          ['alg', -7],
          ['sig', noise(70)],
        ]),
      ],
      ['a statement without a format', { statement: new Map([['sig', noise(70)]]) }],
      ['an attestation of an old security key', { format: 'fido-u2f', statement: new Map([['sig', noise(70)]]) }],
      ['a top origin that is null', { topOrigin: null }],
      ['a frame that is null', { crossOrigin: null }],
      ['a key that its provider does not sync', { backupEligible: false, backedUp: false }],
      ['a sync that is still to come', { backupEligible: true, backedUp: false }],
      ['a counter that has begun', { counter: 7 }],
    ])('%s', async (_what, claims) => {
      const { browser } = await register(server);
      const authenticator = openAuthenticator();
      await addPasskey(browser, authenticator, claims);
      for (const use of [{}, { userHandle: null }, { topOrigin: null }, { crossOrigin: null }, { counter: 9 }])
        expect(await signInWith(server.client(), authenticator, use)).toSay('200');
    });
  });

  describe('a new passkey is refused for', () => {
    const key = (...entries: [number, unknown][]) => new Map<number, unknown>(entries);
    const point: [number, unknown][] = [
      [-2, noise(32)],
      [-3, noise(32)],
    ];
    test.each<[what: string, claims: Partial<Claims>]>([
      ...lies.filter(([what]) => !/^another kind/.test(what)),
      ['a response to a sign-in', { type: 'webauthn.get' }],
      ['an algorithm that we do not offer', { key: key([1, 2], [3, -35], [-1, 2], [-2, noise(48)], [-3, noise(48)]) }],
      ['a key without an algorithm', { key: key([1, 2], [-1, 1], ...point) }],
      ['a key whose type does not fit its algorithm', { key: key([1, 2], [3, -8], [-1, 1], ...point) }],
      ['a key on another curve', { key: key([1, 2], [3, -7], [-1, 2], [-2, noise(48)], [-3, noise(48)]) }],
      ['a short RSA key', { key: key([1, 3], [3, -257], [-1, noise(64)], [-2, Uint8Array.of(1, 0, 1)]) }],
      ['a huge RSA key', { key: key([1, 3], [3, -257], [-1, noise(8192)], [-2, Uint8Array.of(1, 0, 1)]) }],
      ['a huge RSA exponent', { key: key([1, 3], [3, -257], [-1, noise(256)], [-2, noise(256)]) }],
      ['bytes after the attestation', { attestation: (bytes) => Buffer.concat([bytes, Buffer.of(0)]) }],
      ['a truncated attestation', { attestation: (bytes) => bytes.subarray(0, -20) }],
      ['an empty attestation', { attestation: () => Buffer.alloc(0) }],
      ['an attestation that is a number', { attestation: () => Buffer.of(0x18, 0x2a) }],
      ['CBOR that nests without end', { attestation: () => Buffer.alloc(10_000, 0x81) }],
      ['CBOR of an enormous length', { attestation: () => Buffer.from('9bffffffffffffffff', 'hex') }],
      ['CBOR of an enormous text', { attestation: () => Buffer.from('7a7fffffff', 'hex') }],
    ])('%s', async (_what, claims) => {
      const { browser } = await person;
      const before = (await browser.get('/account/passkeys')).body;
      const credential = openAuthenticator().create(await creationOptions(browser), claims);
      expect(await browser.post('/account/passkeys', { credential })).toSay('422 passkey_refused');
      expect((await browser.get('/account/passkeys')).body).toEqual(before);
    });

    test('an id that the authenticator did not sign', async () => {
      const { browser } = await register(server);
      const credential = openAuthenticator().create(await creationOptions(browser), { id: openAuthenticator().id });
      expect(await browser.post('/account/passkeys', { credential })).toSay('422 passkey_refused');
    });

    test('an id longer than 1023 bytes', async () => {
      const { browser } = await register(server);
      const authenticator = openAuthenticator({ id: randomBytes(1024).toString('base64url') });
      const credential = authenticator.create(await creationOptions(browser));
      expect(await browser.post('/account/passkeys', { credential })).toSay(/^422 /);
    });
  });

  test('malformed requests are refused without a look at the passkey', async () => {
    const browser = server.client();
    const good = openAuthenticator().use(await signInOptions(browser));
    const bad = (changes: object) => browser.post('/auth/passkeys/login', { credential: { ...good, ...changes } });
    const response = good.response as Record<string, unknown>;
    const inResponse = (changes: object) => bad({ response: { ...response, ...changes } });
    for (const response of [
      await browser.post('/auth/passkeys/login', {}),
      await browser.post('/auth/passkeys/login', { credential: 'AAAA' }),
      await bad({ id: '' }),
      await bad({ id: ['AAAA'] }),
      await bad({ id: 'not base64url!' }),
      await bad({ type: 'password' }),
      await bad({ response: null }),
      await inResponse({ signature: 7 }),
      await inResponse({ authenticatorData: 'A'.repeat(4001) }),
    ])
      expect(response).toSay(/^422 validation_failed credential\S* not_understood/);
    for (const clientData of ['', 'null', '[]', '{', '{"challenge":7}', '{"challenge":{"$ne":1}}'])
      expect(await inResponse({ clientDataJSON: Buffer.from(clientData).toString('base64url') })).toSay(
        '401 passkey_refused',
      );
    expect(await inResponse({ clientDataJSON: 'A'.repeat(100_000) })).toSay(/^413 /);
  });
});
