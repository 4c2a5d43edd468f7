import { randomUUID } from 'node:crypto';
import { days, minutes } from '../../contract/durations.ts';
import { openKeyEncryption } from '../../security/key-encryption.ts';
import { addKey, type KeyPurpose, retireKeys } from '../../store/access/keys.ts';
import { sessionLifetime } from '../../store/access/sessions.ts';
import type { Store, StoreTransaction } from '../../store/database.ts';
import { readSecret, type SecretSettings } from '../operator-secret.ts';
import { makeKey, newKeysRest, openKeys } from './keyring.ts';

/** How long what a key has signed is worth something; the links of welcome mails are proven by the phone's. */
const signedFor: Readonly<Record<KeyPurpose, number>> = {
  access_token: minutes(15),
  refresh_token: sessionLifetime,
  csrf: days(2),
  phone: days(30),
};

const purposes = Object.keys(signedFor) as KeyPurpose[];

interface Rotation {
  readonly config: SecretSettings;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Somebody may have the keys: nothing that they have signed is worth anything from now on. */
  readonly compromised: boolean;
  /** Runs in the transaction of the new keys. */
  readonly record: (trx: StoreTransaction) => Promise<unknown>;
}

/**
 * Adds a key of each purpose and lets the others verify until all that they have signed is over. Returns when the new
 * ones begin to sign, and until when the others verify (ms since the epoch); undefined where there are none yet.
 */
export async function rotateKeys(store: Store, { config, now, compromised, record }: Rotation) {
  // Also shows that the secret at hand is the right one, before anything is sealed with it.
  if ((await openKeys(store, { config, now })).length === 0) return undefined;
  const box = openKeyEncryption(readSecret(config));
  const signsFrom = compromised ? now : now + newKeysRest;
  // mutation: old-keys-forgotten
  const until = (purpose: KeyPurpose) => (compromised ? now : signsFrom + minutes(1) + signedFor[purpose]);
  const retiredAt = Object.fromEntries(purposes.map((purpose) => [purpose, until(purpose)])) as Record<
    KeyPurpose,
    number
  >;
  await store.transaction().execute(async (trx) => {
    await record(trx);
    await retireKeys(trx, retiredAt);
    for (const purpose of purposes) {
      const secret = box.seal(makeKey(purpose));
      await addKey(trx, { id: `${purpose}-${randomUUID()}`, purpose, secret, created_at: now, retired_at: null });
    }
  });
  return { signsFrom, retiredAt };
}
