import { chmodSync, existsSync } from 'node:fs';
import { SettingsError } from '../../contract/settings.ts';
import { type KeyEncryption, openKeyEncryption } from '../../security/macs.ts';
import { addKey, type KeyPurpose, usableKeys } from '../../store/access/keys.ts';
import type { Store } from '../../store/database.ts';
import { makeSecret, readSecret, type SecretSettings, secretFile } from '../settings/environment.ts';
import { makeKey } from './key-forms.ts';

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
