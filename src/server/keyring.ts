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

/** The operator's secret: `SECRET_KEY`, or with SQLite one of our own making in the data folder that only its owner may read. */
export function operatorSecret(config: {
  SECRET_KEY?: string | undefined;
  DATABASE_URL?: string | undefined;
  DATA_DIR: string;
}): string | undefined {
  if (config.SECRET_KEY || config.DATABASE_URL) return config.SECRET_KEY;
  const file = join(config.DATA_DIR, 'secret.key');
  if (!existsSync(file)) {
    mkdirSync(config.DATA_DIR, { recursive: true, mode: 0o700 });
    // Aside and then renamed: a file that is there is whole.
    const unfinished = `${file}.${process.pid}`;
    writeFileSync(unfinished, randomSecret(256), { mode: 0o600 });
    renameSync(unfinished, file);
  }
  chmodSync(file, 0o600);
  const secret = readFileSync(file, 'utf8').trim();
  if (secret === '')
    throw new SettingsError(`SECRET_KEY: ${file} is empty; restore it, or remove it together with the database`);
  return secret;
}

/** Loads the keys from the database, making those that are missing. Throws when the operator's secret is another one. */
export async function openKeyring(
  store: Store,
  { secret, now }: { secret: string | undefined; now: number },
): Promise<Keyring> {
  const box = openKeyBox(secret);
  let rows = await usableKeys(store, now);
  const missing = purposes.filter((purpose) => !rows.some((row) => row.purpose === purpose));
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
  if (missing.length > 0) rows = await usableKeys(store, now);

  const opened = rows.map((row) => ({
    kid: row.id,
    purpose: row.purpose,
    bytes: openOrExplain(() => box.open(row.secret)),
  }));
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

function openOrExplain(open: () => Buffer): Buffer {
  try {
    return open();
  } catch (cause) {
    throw new SettingsError('SECRET_KEY: the keys in the database were sealed with another secret', { cause });
  }
}
