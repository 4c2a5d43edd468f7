import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answered } from '../contract/endpoint.ts';
import type { publicKeys } from '../contract/health.ts';
import { SettingsError } from '../contract/settings-error.ts';
import type { SigningKey } from '../security/access-tokens.ts';
import { openKeyBox } from '../security/key-box.ts';
import { randomSecret } from '../security/secrets.ts';
import type { Store } from '../store/database.ts';
import { addKey, type KeyPurpose, usableKeys } from '../store/keys.ts';

/** The keys in use, each purpose's newest first: the first one signs, all of them verify. */
export interface Keyring {
  readonly accessTokens: readonly SigningKey[];
  readonly refreshTokens: readonly Buffer[];
  readonly csrf: readonly Buffer[];
  readonly phone: readonly Buffer[];
  /** RFC 7517 document of the public keys. */
  readonly jwks: Answered<typeof publicKeys>;
}

const purposes: readonly KeyPurpose[] = ['access_token', 'refresh_token', 'csrf', 'phone'];

interface SecretSettings {
  readonly SECRET_KEY?: string | undefined;
  readonly DATABASE_URL?: string | undefined;
  readonly DATA_DIR: string;
}

/** Where SQLite's data folder keeps the operator's secret. */
export const secretFile = (dataDir: string): string => join(dataDir, 'secret.key');

/** The operator's secret: `SECRET_KEY`, or with SQLite the one in the data folder; undefined while there is none. */
export function readSecret({ SECRET_KEY, DATABASE_URL, DATA_DIR }: SecretSettings): string | undefined {
  const file = secretFile(DATA_DIR);
  if (SECRET_KEY || DATABASE_URL || !existsSync(file)) return SECRET_KEY;
  const secret = readFileSync(file, 'utf8').trim();
  if (secret === '') throw new SettingsError(`SECRET_KEY: ${file} is empty; restore it from a backup`);
  return secret;
}

/** Makes SQLite's secret, which only its owner may read. */
function makeSecret({ DATA_DIR }: SecretSettings): void {
  mkdirSync(DATA_DIR, { recursive: true, mode: 0o700 });
  writeSecret(DATA_DIR, randomSecret(256));
}

/** Aside and then renamed: a file that is there is whole. */
export function writeSecret(dataDir: string, secret: string): void {
  const unfinished = `${secretFile(dataDir)}.${process.pid}`;
  writeFileSync(unfinished, secret, { mode: 0o600, flush: true });
  renameSync(unfinished, secretFile(dataDir));
}

/** Opens each of the keys in use, or throws when they cannot be. Changes nothing. */
export async function openKeys(store: Store, { config, now }: { config: SecretSettings; now: number }) {
  const rows = await usableKeys(store, now);
  const box = openKeyBox(readSecret(config));
  return rows.map((row) => ({
    kid: row.id,
    purpose: row.purpose,
    bytes: openOrExplain(() => box.open(row.secret), config),
  }));
}

/** Loads the keys from the database, making those that are missing. Throws when the operator's secret is another one. */
export async function openKeyring(
  store: Store,
  { config, now }: { config: SecretSettings; now: number },
): Promise<Keyring> {
  const known = await openKeys(store, { config, now });
  const missing = purposes.filter((purpose) => !known.some((key) => key.purpose === purpose));
  // Never beside keys: one that was lost is restored, another one opens nothing.
  if (known.length === 0 && !config.DATABASE_URL && readSecret(config) === undefined) makeSecret(config);
  if (!config.SECRET_KEY && !config.DATABASE_URL) chmodSync(secretFile(config.DATA_DIR), 0o600);
  const box = openKeyBox(readSecret(config));
  for (const purpose of missing) {
    // The first key of a purpose has a fixed id, so that of two nodes that start together one wins.
    await addKey(store, {
      id: `${purpose}-1`,
      purpose,
      secret: box.seal(makeKey(purpose)),
      created_at: now,
      retired_at: null,
    });
  }
  const opened = missing.length > 0 ? await openKeys(store, { config, now }) : known;
  const of = (purpose: KeyPurpose) => opened.filter((key) => key.purpose === purpose);
  const accessTokens = of('access_token').map(({ kid, bytes }) => ({
    kid,
    privateKey: createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' }),
  }));
  return {
    accessTokens,
    refreshTokens: of('refresh_token').map((key) => key.bytes),
    csrf: of('csrf').map((key) => key.bytes),
    phone: of('phone').map((key) => key.bytes),
    jwks: { keys: accessTokens.map(publicKeyOf) },
  };
}

function publicKeyOf({ kid, privateKey }: SigningKey): Answered<typeof publicKeys>['keys'][number] {
  const { kty, crv, x, y } = createPublicKey(privateKey).export({ format: 'jwk' }) as Record<
    'kty' | 'crv' | 'x' | 'y',
    string
  >;
  return { kty, crv, x, y, kid, use: 'sig', alg: 'ES256' };
}

function makeKey(purpose: KeyPurpose): Buffer {
  if (purpose !== 'access_token') return randomBytes(32);
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'der', type: 'pkcs8' });
}

function openOrExplain(open: () => Buffer, config: SecretSettings): Buffer {
  try {
    return open();
  } catch (cause) {
    const lost = config.DATABASE_URL ? 'it is not set' : `neither it nor ${secretFile(config.DATA_DIR)} is there`;
    const why = readSecret(config) === undefined ? `and ${lost}` : 'with another secret';
    throw new SettingsError(`SECRET_KEY: the keys in the database were sealed ${why}; restore it from a backup`, {
      cause,
    });
  }
}
