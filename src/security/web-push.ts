import { createCipheriv, createECDH, createPublicKey, hkdfSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** The keys of a browser's subscription (base64url): a P-256 point, and 16 random bytes. */
export interface PushKeys {
  readonly p256dh: string;
  readonly auth: string;
}

const curve = 'prime256v1';
/** Bytes. One record holds the whole message: the longest that push services must accept (RFC 8030, section 7.2). */
const recordSize = 4096;
const derive = (secret: Buffer, salt: Buffer, info: Buffer | string, length: number) =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, length));

/** Encrypts a message for one browser (RFC 8291, with the coding aes128gcm of RFC 8188). Throws for an invalid point. */
export function encryptPush(text: string, { p256dh, auth }: PushKeys): Buffer {
  const browser = Buffer.from(p256dh, 'base64url');
  const own = createECDH(curve);
  const ownKey = own.generateKeys();
  const shared = own.computeSecret(browser);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), browser, ownKey]);
  const key = derive(shared, Buffer.from(auth, 'base64url'), info, 32);
  const salt = randomBytes(16);
  const cipher = createCipheriv(
    'aes-128-gcm',
    derive(key, salt, 'Content-Encoding: aes128gcm\0', 16),
    derive(key, salt, 'Content-Encoding: nonce\0', 12),
  );
  const head = Buffer.alloc(5);
  head.writeUInt32BE(recordSize);
  head.writeUInt8(ownKey.length, 4);
  // 2 marks the last record.
  const content = Buffer.concat([
    cipher.update(text),
    cipher.update(Buffer.of(2)),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
  return Buffer.concat([salt, head, ownKey, content]);
}

/** Whether the keys of a subscription are usable: a point of the curve, and the 16 bytes that RFC 8291 requires. */
export function arePushKeys({ p256dh, auth }: PushKeys): boolean {
  try {
    encryptPush('', { p256dh, auth });
    return Buffer.from(auth, 'base64url').length === 16;
  } catch {
    return false;
  }
}

/** The public key of a signing key as browsers take it: the uncompressed point (base64url). */
export function pushKeyOf(privateKey: KeyObject): string {
  const { x = '', y = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  return Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]).toString('base64url');
}

/** In seconds: push services accept at most 24 hours. */
const lifetime = 12 * 60 * 60;
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

interface Vapid {
  readonly endpoint: URL;
  /** How a push service reaches the operator: `https:` or `mailto:`. */
  readonly subject: string;
  readonly privateKey: KeyObject;
  readonly now: number;
}

/** The `Authorization` header that identifies this service to a push service (RFC 8292). */
export function vapidHeader({ endpoint, subject, privateKey, now }: Vapid): string {
  const claims = { aud: endpoint.origin, exp: Math.floor(now / 1000) + lifetime, sub: subject };
  const signed = `${encode({ typ: 'JWT', alg: 'ES256' })}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `vapid t=${signed}.${signature.toString('base64url')}, k=${pushKeyOf(privateKey)}`;
}
