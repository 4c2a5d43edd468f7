import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { chmodSync, existsSync } from 'node:fs';
import { promisify } from 'node:util';
import type { ResponseBody } from '../../contract/endpoint.ts';
import type { publicKeys } from '../../contract/service.ts';
import { SettingsError } from '../../contract/settings.ts';
import { type KeyEncryption, openKeyEncryption, sha256 } from '../../security/macs.ts';
import type { SigningKey } from '../../security/tokens.ts';
import { addKey, type KeyPurpose, usableKeys } from '../../store/access/keys.ts';
import type { Store } from '../../store/database.ts';
import { makeSecret, readSecret, type SecretSettings, secretFile } from '../settings/environment.ts';

const requiredPurposes: readonly KeyPurpose[] = ['access_token', 'refresh_token', 'csrf', 'phone', 'web_push'];

/** Seals and opens secrets as the operator's settings say. */
export const openSecrets = (config: SecretSettings): KeyEncryption =>
  openKeyEncryption(readSecret(config), config.PREVIOUS_SECRET_KEY);

interface KeySource {
  readonly config: SecretSettings;
  readonly now: number;
  /** Follows the secret that sealed the newest key. */
  readonly secrets?: KeyEncryption;
}

/** Unseals the keys in use; throws a `SettingsError` if the secret is wrong or missing. Changes nothing. */
export async function openKeys(store: Store, { config, now, secrets: box = openSecrets(config) }: KeySource) {
  const rows = await usableKeys(store, now);
  if (rows[0]) box.follow(rows[0].secret);
  return rows.map((row) => ({
    kid: row.id,
    purpose: row.purpose,
    createdAt: row.created_at,
    isCurrent: box.isCurrent(row.secret),
    bytes: openOrExplain(() => box.open(row.secret), config),
  }));
}

export type OpenKeys = Awaited<ReturnType<typeof openKeys>>;

/** Unseals the keys in use, after it has created those that are missing. */
export async function makeMissingKeys(store: Store, { config, now, secrets }: Required<KeySource>): Promise<OpenKeys> {
  const known = await openKeys(store, { config, now, secrets });
  const missing = requiredPurposes.filter((purpose) => !known.some((key) => key.purpose === purpose));
  for (const purpose of missing) {
    // The first key of each purpose has a fixed id, so that one of two nodes that start together wins.
    await addKey(store, {
      id: `${purpose}-1`,
      purpose,
      secret: secrets.seal(makeKey(purpose)),
      created_at: now,
      retired_at: null,
    });
  }
  return missing.length > 0 ? openKeys(store, { config, now, secrets }) : known;
}

/** Creates SQLite's secret in the data folder, unless there is one or the operator gives it. */
export async function ensureSecret(store: Store, { config, now }: Omit<KeySource, 'secrets'>): Promise<void> {
  if (config.SECRET_KEY || config.DATABASE_URL) return;
  // Never create a secret if keys exist: they open only with the lost one, which must be restored.
  if (readSecret(config) === undefined && (await usableKeys(store, now)).length === 0) makeSecret(config);
  if (existsSync(secretFile(config.DATA_DIR))) chmodSync(secretFile(config.DATA_DIR), 0o600);
}

function openOrExplain(open: () => Buffer, config: SecretSettings): Buffer {
  try {
    return open();
  } catch (cause) {
    const lost = config.DATABASE_URL ? 'it is not set' : `neither it nor ${secretFile(config.DATA_DIR)} exists`;
    const why = readSecret(config) === undefined ? `, but ${lost}` : ' with another secret';
    throw new SettingsError(`SECRET_KEY: the keys in the database were sealed${why}; restore it from a backup`, {
      cause,
    });
  }
}

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
