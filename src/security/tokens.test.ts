import { createHmac, createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { orderedId } from '../store/database.ts';
import { openKeyEncryption, randomSecret } from './macs.ts';
import {
  isCsrfToken,
  readAccessToken,
  readRefreshToken,
  readReturnToken,
  returnTokenLength,
  signAccessToken,
  writeCsrfToken,
  writeRefreshToken,
  writeReturnToken,
} from './tokens.ts';

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const key = { kid: 'one', privateKey: pair.privateKey };
const issuer = 'https://door.example';
const now = Date.UTC(2026, 10, 21);
const claims = {
  issuer,
  accountId: 'account',
  sessionId: 'session',
  now,
  lifetime: 600_000,
  authTime: now - 60_000,
  amr: ['pwd'],
  acr: 'aal1',
};
const good = signAccessToken(key, claims);
const [head = '', body = '', signature = ''] = good.split('.');
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const header = { alg: 'ES256', typ: 'at+jwt', kid: 'one' };

/** Signs any content with our own key. */
function forge(changed: object, payload: object): string {
  const text = `${part({ ...header, ...changed })}.${part(payload)}`;
  const bytes = sign('sha256', Buffer.from(text), { key: pair.privateKey, dsaEncoding: 'ieee-p1363' });
  return `${text}.${bytes.toString('base64url')}`;
}
const payload = { iss: issuer, aud: issuer, sub: 'a', sid: 's', exp: now / 1000 + 60 };

describe('an access token', () => {
  test('is accepted by a standard JOSE library', async () => {
    const { payload: read } = await jwtVerify(good, createPublicKey(pair.privateKey), {
      algorithms: ['ES256'],
      typ: 'at+jwt',
      issuer,
      audience: issuer,
      currentDate: new Date(now),
    });
    expect(read).toMatchObject({
      sub: 'account',
      sid: 'session',
      exp: now / 1000 + 600,
      auth_time: now / 1000 - 60,
      amr: ['pwd'],
      acr: 'aal1',
    });
  });

  test('is read back', () =>
    expect(readAccessToken(good, { keys: [key], issuer, now })).toMatchObject({ sub: 'account', sid: 'session' }));

  const publicPem = pair.publicKey.export({ format: 'pem', type: 'spki' });
  const hs256 = `${part({ ...header, alg: 'HS256' })}.${body}`;
  test.each([
    ['algorithm none', `${part({ ...header, alg: 'none' })}.${body}.`],
    ['algorithm none with a signature', `${part({ ...header, alg: 'none' })}.${body}.${signature}`],
    ['HS256 over the public key', `${hs256}.${createHmac('sha256', publicPem).update(hs256).digest('base64url')}`],
    ['a foreign kid', forge({ kid: 'two' }, payload)],
    ['a jku and no known kid', forge({ kid: undefined, jku: 'https://evil.example/keys' }, payload)],
    ['an algorithm in its header other than the one that signed it', forge({ alg: 'ES384' }, payload)],
    ['another type', forge({ typ: 'JWT' }, payload)],
    ['another audience', forge({}, { ...payload, aud: 'https://other.example' })],
    ['another issuer', forge({}, { ...payload, iss: 'https://other.example' })],
    ['an expiry in the past', forge({}, { ...payload, exp: now / 1000 - 1 })],
    ['no expiry', forge({}, { ...payload, exp: undefined })],
    ['no session', forge({}, { ...payload, sid: undefined })],
    ['a changed body', `${head}.${part({ ...payload, sub: 'another' })}.${signature}`],
    ['no signature', `${head}.${body}`],
    ['a refresh token', writeRefreshToken(randomBytes(32), { sessionId: randomSecret(128), generation: 1 })],
    ['nonsense', '...'],
  ])('is refused with %s', (_name, token) => {
    expect(readAccessToken(token, { keys: [key], issuer, now })).toBeUndefined();
  });
});

describe('a refresh token', () => {
  const secret = randomBytes(32);
  const sessionId = randomSecret(128);

  test('contains its session and generation, even under an older key', () => {
    const token = writeRefreshToken(secret, { sessionId, generation: 7 });
    expect(readRefreshToken([randomBytes(32), secret], token)).toEqual({ sessionId, generation: 7 });
    expect(writeRefreshToken(secret, { sessionId, generation: 7 })).toBe(token);
  });

  test('is refused when one character differs', () => {
    const token = writeRefreshToken(secret, { sessionId, generation: 7 });
    for (let at = 0; at < token.length - 1; at += 1) {
      const changed = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
      expect(readRefreshToken([secret], changed)).toBeUndefined();
    }
    expect(readRefreshToken([randomBytes(32)], token)).toBeUndefined();
  });
});

describe('a CSRF token', () => {
  const secret = randomBytes(32);

  test.each([
    ['its own session', 'session', 'session', true],
    ['no session', '', '', true],
    ['another session', 'session', 'other', false],
    ['a session, if it was issued without one', '', 'session', false],
  ])('is valid only in the session that it was written for: %s', (_name, writtenFor, usedIn, good) => {
    expect(isCsrfToken([secret], { token: writeCsrfToken(secret, writtenFor), session: usedIn })).toBe(good);
  });

  test.each(['', '.', 'a.b', 'x', `${'a'.repeat(43)}.planted`, 'a.b.c'])('%j is invalid', (token) => {
    expect(isCsrfToken([secret], { token, session: '' })).toBe(false);
  });
});

describe('key encryption', () => {
  test('decrypts its own output, and rejects changed output and that of another secret', () => {
    const box = openKeyEncryption('operator secret of some length');
    const sealed = box.seal(Buffer.from('key'));
    expect(box.open(sealed).toString()).toBe('key');
    expect(() => openKeyEncryption('another secret').open(sealed)).toThrow();
    expect(() => openKeyEncryption(undefined).open(sealed)).toThrow(/SECRET_KEY/);
    expect(() => box.open(`${sealed.slice(0, -2)}AA`)).toThrow();
  });
});

describe('the token of a return path', () => {
  const [macKey, olderKey] = [randomBytes(32), randomBytes(32)];
  const email = orderedId();
  const token = writeReturnToken(macKey, email);

  test('identifies its email, under any key in use, in upper and lower case', () => {
    expect(token).toHaveLength(returnTokenLength);
    expect(readReturnToken([macKey], token)).toBe(email);
    expect(readReturnToken([macKey, olderKey], writeReturnToken(olderKey, email).toUpperCase())).toBe(email);
    for (const id of ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'])
      expect(readReturnToken([macKey], writeReturnToken(macKey, id))).toBe(id);
  });

  const other = (at: number) => token.slice(0, at) + (token[at] === '7' ? '3' : '7') + token.slice(at + 1);

  test.each([
    ['another email', other(20)],
    ['another proof', other(token.length - 1)],
    ['too short', token.slice(1)],
    ['too long', `${token}0`],
    ['a character outside its alphabet', `z${token.slice(1)}`],
    ['a number too large for a UUID', `v${token.slice(1)}`],
    ['nothing', ''],
  ])('a forged token identifies no email: %s', (_, made) => expect(readReturnToken([macKey], made)).toBeUndefined());

  test('a token of a retired key does not identify an email', () =>
    expect(readReturnToken([olderKey], token)).toBeUndefined());
});
