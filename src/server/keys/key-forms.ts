import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { promisify } from 'node:util';
import type { ResponseBody } from '../../contract/endpoint.ts';
import type { publicKeys } from '../../contract/service.ts';
import { sha256 } from '../../security/macs.ts';
import type { SigningKey } from '../../security/tokens.ts';
import type { KeyPurpose } from '../../store/access/keys.ts';

type PublicKey = ResponseBody<typeof publicKeys>['keys'][number];

/** An elliptic-curve key in the JWKS document. */
export function publicKeyOf({ kid, privateKey }: SigningKey): PublicKey {
  const { kty, crv, x, y } = createPublicKey(privateKey).export({ format: 'jwk' }) as Record<
    'kty' | 'crv' | 'x' | 'y',
    string
  >;
  return { kty: kty as 'EC', crv, x, y, kid, use: 'sig', alg: 'ES256' };
}

export function publicRsaKeyOf({ kid, privateKey }: SigningKey): PublicKey {
  const { n, e } = createPublicKey(privateKey).export({ format: 'jwk' }) as Record<'n' | 'e', string>;
  return { kty: 'RSA', n, e, kid, use: 'sig', alg: 'RS256' };
}

const rsaBits = { modulusLength: 2048 } as const;

/** A new RSA key, made outside of the event loop, which it would block for up to a second. */
export const makeRsaKey = async (): Promise<Buffer> =>
  asStored((await promisify(generateKeyPair)('rsa', rsaBits)).privateKey);

const asStored = (key: KeyObject): Buffer => key.export({ format: 'der', type: 'pkcs8' });

/** A new key in its stored form: 256 random bits, or a private key to sign tokens (PKCS #8, DER). */
export function makeKey(purpose: KeyPurpose): Buffer {
  if (purpose === 'id_token') return asStored(generateKeyPairSync('rsa', rsaBits).privateKey);
  if (purpose !== 'access_token' && purpose !== 'web_push') return randomBytes(32);
  return asStored(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
}

/** Returns the same object for the same key on every reload, because verified tokens are cached by that object. */
export function openPrivateKeys(): (bytes: Buffer) => KeyObject {
  const known = new Map<string, KeyObject>();
  return (bytes) => {
    const name = sha256(bytes);
    const key = known.get(name) ?? createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' });
    known.set(name, key);
    return key;
  };
}
