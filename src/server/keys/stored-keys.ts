import { chmodSync } from 'node:fs';
import { SettingsError } from '../../contract/settings.ts';
import { openKeyEncryption } from '../../security/macs.ts';
import { addKey, type KeyPurpose, usableKeys } from '../../store/access/keys.ts';
import type { Store } from '../../store/database.ts';
import { makeSecret, readSecret, type SecretSettings, secretFile } from '../settings/environment.ts';
import { makeKey } from './key-forms.ts';

const requiredPurposes: readonly KeyPurpose[] = ['access_token', 'refresh_token', 'csrf', 'phone'];

/** Unseals the keys in use; throws a `SettingsError` if the secret is wrong or missing. Changes nothing. */
export async function openKeys(store: Store, { config, now }: { config: SecretSettings; now: number }) {
  const rows = await usableKeys(store, now);
  const box = openKeyEncryption(readSecret(config));
  return rows.map((row) => ({
    kid: row.id,
    purpose: row.purpose,
    createdAt: row.created_at,
    bytes: openOrExplain(() => box.open(row.secret), config),
  }));
}

export type OpenKeys = Awaited<ReturnType<typeof openKeys>>;

/** Unseals the keys in use, after it has created those that are missing. */
export async function makeMissingKeys(
  store: Store,
  { config, now }: { config: SecretSettings; now: number },
): Promise<OpenKeys> {
  const known = await openKeys(store, { config, now });
  const missing = requiredPurposes.filter((purpose) => !known.some((key) => key.purpose === purpose));
  // Never create a secret if keys exist: they open only with the lost one, which must be restored.
  if (known.length === 0 && !config.DATABASE_URL && readSecret(config) === undefined) makeSecret(config);
  if (!config.SECRET_KEY && !config.DATABASE_URL) chmodSync(secretFile(config.DATA_DIR), 0o600);
  const box = openKeyEncryption(readSecret(config));
  for (const purpose of missing) {
    // The first key of each purpose has a fixed id, so that one of two nodes that start together wins.
    await addKey(store, {
      id: `${purpose}-1`,
      purpose,
      secret: box.seal(makeKey(purpose)),
      created_at: now,
      retired_at: null,
    });
  }
  return missing.length > 0 ? openKeys(store, { config, now }) : known;
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
