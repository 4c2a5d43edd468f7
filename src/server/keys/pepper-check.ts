import { SettingsError } from '../../contract/settings-error.ts';
import { openKeyEncryption } from '../../security/key-encryption.ts';
import type { Passwords } from '../../security/passwords.ts';
import { addPepperCheck, hasAccounts, pepperCheck, replacePepperCheck } from '../../store/access/keys.ts';
import type { Store } from '../../store/database.ts';
import { readSecret, type SecretSettings } from '../settings/operator-secret.ts';

/** Anything: only the pepper decides whether its hash verifies. */
const probe = 'pepper check';

interface PepperCheck {
  readonly config: SecretSettings;
  readonly passwords: Passwords;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Throws a `SettingsError` if accounts exist and PASSWORD_PEPPER is not the one of earlier starts: no password would match,
 * owners would lock themselves out, and new hashes would need the wrong pepper. The first start stores a hash to compare with.
 */
export async function ensurePepper(store: Store, given: PepperCheck): Promise<void> {
  const { config, passwords, now } = given;
  const seal = async () => openKeyEncryption(readSecret(config)).seal(Buffer.from(await passwords.hash(probe)));
  if (!(await pepperCheck(store))) await addPepperCheck(store, { secret: await seal(), now });
  if (await isPepperOfDatabase(store, given)) return;
  if (await hasAccounts(store)) refuse();
  await replacePepperCheck(store, { secret: await seal(), now });
}

/** Throws as `ensurePepper` does, and changes nothing. */
export async function examinePepper(store: Store, given: Omit<PepperCheck, 'now'>): Promise<void> {
  if (!(await isPepperOfDatabase(store, given)) && (await hasAccounts(store))) refuse();
}

async function isPepperOfDatabase(store: Store, { config, passwords }: Omit<PepperCheck, 'now'>): Promise<boolean> {
  const sealed = await pepperCheck(store);
  if (!sealed) return true;
  const hash = openKeyEncryption(readSecret(config)).open(sealed.secret).toString();
  return passwords.verify(hash, probe);
}

function refuse(): never {
  throw new SettingsError(
    'PASSWORD_PEPPER: the passwords in the database were hashed with another pepper or without one; restore the setting',
  );
}
