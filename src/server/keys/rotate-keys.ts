import { randomUUID } from 'node:crypto';
import { days, minutes, seconds } from '../../contract/units.ts';
import { accessTokenLifetime } from '../../http/session/grant-session.ts';
import { lifetimes } from '../../journeys/openid/provider/tokens.ts';
import { addKey, type KeyPurpose, retireKeys } from '../../store/access/keys.ts';
import { sessionLifetime } from '../../store/access/sessions.ts';
import type { Store, StoreTransaction } from '../../store/database.ts';
import type { SecretSettings } from '../settings/environment.ts';
import { newKeysRest } from './keyring.ts';
import { makeKey, openKeys, openSecrets } from './stored-keys.ts';

const jwtLifetime = Math.max(accessTokenLifetime, seconds(lifetimes.AccessToken), seconds(lifetimes.IdToken));

/** The lifetime of the longest-lived token that each key signs; the phone key also signs the links in welcome emails. */
const signedFor: Readonly<Record<KeyPurpose, number>> = {
  access_token: jwtLifetime,
  refresh_token: sessionLifetime,
  csrf: days(2),
  phone: days(30),
  id_token: jwtLifetime,
  // Browsers subscribe to this key, so another one voids their subscriptions: it changes only if someone else may have it.
  web_push: 0,
};

const purposes = Object.keys(signedFor) as KeyPurpose[];

interface Rotation {
  readonly config: SecretSettings;
  readonly now: number;
  /** Someone may have the keys: everything that they have signed becomes invalid immediately. */
  readonly compromised: boolean;
  /** Runs in the transaction of the new keys. */
  readonly record: (trx: StoreTransaction) => Promise<unknown>;
}

/**
 * Adds a key for each purpose; the old keys verify until everything they have signed has expired. Returns when the new
 * keys start to sign and until when the old ones verify (ms since the epoch); undefined if no keys exist yet.
 */
export async function rotateKeys(store: Store, { config, now, compromised, record }: Rotation) {
  // Opening the keys also verifies the secret, before it seals new ones.
  const box = openSecrets(config);
  const known = await openKeys(store, { config, now, secrets: box });
  if (known.length === 0) return undefined;
  const rotated = purposes.filter((purpose) => {
    if (purpose === 'web_push') return compromised;
    return purpose !== 'id_token' || known.some((key) => key.purpose === purpose);
  });
  const signsFrom = compromised ? now : now + newKeysRest;
  const until = (purpose: KeyPurpose) => (compromised ? now : signsFrom + minutes(1) + signedFor[purpose]);
  const retiredAt = Object.fromEntries(rotated.map((purpose) => [purpose, until(purpose)])) as Partial<
    Record<KeyPurpose, number>
  >;
  await store.transaction().execute(async (trx) => {
    await record(trx);
    await retireKeys(trx, retiredAt);
    for (const purpose of rotated) {
      const secret = box.seal(makeKey(purpose));
      await addKey(trx, { id: `${purpose}-${randomUUID()}`, purpose, secret, created_at: now, retired_at: null });
    }
  });
  return { signsFrom, retiredAt };
}
