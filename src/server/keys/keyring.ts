import type { KeyObject } from 'node:crypto';
import type { ResponseBody } from '../../contract/endpoint.ts';
import type { publicKeys } from '../../contract/service.ts';
import { SettingsError } from '../../contract/settings.ts';
import { minutes, seconds } from '../../contract/units.ts';
import { every, type JobLog } from '../../runtime/every.ts';
import { type KeyEncryption, subkey } from '../../security/macs.ts';
import type { Passwords } from '../../security/passwords.ts';
import type { SigningKey } from '../../security/tokens.ts';
import {
  addKey,
  addPepperCheck,
  hasAccounts,
  type KeyPurpose,
  pepperCheck,
  replacePepperCheck,
} from '../../store/access/keys.ts';
import type { Store } from '../../store/database.ts';
import type { SecretSettings } from '../settings/environment.ts';
import {
  makeMissingKeys,
  makeRsaKey,
  type OpenKeys,
  openKeys,
  openPrivateKeys,
  publicKeyOf,
  publicRsaKeyOf,
} from './stored-keys.ts';

/** The keys in use. For each purpose, the first key signs, and all keys verify. */
interface Keyring {
  readonly accessTokens: readonly SigningKey[];
  readonly refreshTokens: readonly Buffer[];
  readonly csrf: readonly Buffer[];
  /** For the digits of calls, and for the secrets of links that replace calls. */
  readonly calls: readonly Buffer[];
  /** For the proof of a confirmed number that a registration sends. */
  readonly phoneConfirmations: readonly Buffer[];
  /** For the codes that sign people in. */
  readonly emailCodes: readonly Buffer[];
  /** For links that prove an email address. */
  readonly emailProofs: readonly Buffer[];
  /** For the return path of each email. */
  readonly returnTokens: readonly Buffer[];
  /** For the tasks that browsers solve during a flood. */
  readonly proofsOfWork: readonly Buffer[];
  /** For the cookies and redirects of protected applications. */
  readonly forwardAuth: readonly Buffer[];
  /** For the tokens of computers that enrol. */
  readonly deviceTokens: readonly Buffer[];
  /** Identifies this service to push services. */
  readonly webPush: readonly KeyObject[];
  /** RSA keys for ID tokens of applications that need RS256. */
  readonly idTokens: readonly SigningKey[];
  /** RFC 7517 document of the public keys. */
  readonly jwks: ResponseBody<typeof publicKeys>;
}

/** A keyring that is kept up to date. */
export interface OpenKeyring extends Keyring {
  /** Creates the RSA key if there is none, which takes a moment: only a service with applications needs it. */
  ensureIdTokenKey(): Promise<void>;
}

/** How long a new key rests before it signs: longer than clients cache our public keys and nodes take to load it. */
export const newKeysRest = minutes(10);

/** How often each node loads the keys, and so learns of new and compromised ones. */
const readAgainEvery = seconds(10);

/**
 * Loads the keys from the database, creates missing ones, and reloads them at intervals. Throws a `SettingsError` if the
 * operator's secret does not match.
 */
export async function openKeyring(
  store: Store,
  { config, now, secrets, log }: { config: SecretSettings; now: () => number; secrets: KeyEncryption; log: JobLog },
): Promise<OpenKeyring & { stop(): void }> {
  const privateKeyOf = openPrivateKeys();
  const formsOf = (keys: OpenKeys): Keyring => asKeyring(keys, { privateKeyOf, now: now() });
  /** Shared by all requests that need the key: RSA keys take long to generate, on the threads that hash passwords. */
  let creating: Promise<void> | undefined;

  async function createIdTokenKey(): Promise<void> {
    const secret = secrets.seal(await makeRsaKey());
    await addKey(store, { id: 'id_token-1', purpose: 'id_token', secret, created_at: now(), retired_at: null });
    Object.assign(keyring, formsOf(await openKeys(store, { config, now: now(), secrets })));
  }

  // One object that always has the current keys: those who hold it never hold old ones.
  const keyring = {
    ...formsOf(await makeMissingKeys(store, { config, now: now(), secrets })),
    async ensureIdTokenKey() {
      if (keyring.idTokens.length > 0) return;
      creating ??= createIdTokenKey().finally(() => {
        creating = undefined;
      });
      await creating;
    },
    stop: () => void reading.stop(),
  };
  // While the database is unavailable, the known keys stay in use.
  const reading = every(readAgainEvery, { name: 'reading of the keys', log }, async () => {
    const keys = await openKeys(store, { config, now: now(), secrets });
    if (keys.length > 0) Object.assign(keyring, formsOf(keys));
  });
  return keyring;
}

/** A new key signs only after every node and every service that caches our public keys has had time to load it. */
function asKeyring(
  keys: OpenKeys,
  { privateKeyOf, now }: { privateKeyOf: (bytes: Buffer) => KeyObject; now: number },
): Keyring {
  const of = (purpose: KeyPurpose) => {
    const all = keys.filter((key) => key.purpose === purpose);
    const signs = all.find(({ createdAt }) => createdAt <= now - newKeysRest) ?? all.at(-1);
    return [...all.filter((key) => key === signs), ...all.filter((key) => key !== signs)];
  };
  const accessTokens = of('access_token').map(({ kid, bytes }) => ({ kid, privateKey: privateKeyOf(bytes) }));
  const idTokens = of('id_token').map(({ kid, bytes }) => ({ kid, privateKey: privateKeyOf(bytes) }));
  const phone = of('phone').map((key) => key.bytes);
  // The stored key signs until every node can verify signatures of the derived keys (decision 0008).
  const subkeys = (purpose: string) => [...phone, ...phone.map((key) => subkey(key, purpose))];
  return {
    accessTokens,
    refreshTokens: of('refresh_token').map((key) => key.bytes),
    csrf: of('csrf').map((key) => key.bytes),
    calls: subkeys('call'),
    phoneConfirmations: subkeys('phone confirmation'),
    emailCodes: subkeys('email code'),
    emailProofs: subkeys('email proof'),
    returnTokens: subkeys('return token'),
    proofsOfWork: phone.map((key) => subkey(key, 'proof of work')),
    forwardAuth: phone.map((key) => subkey(key, 'forward auth')),
    deviceTokens: phone.map((key) => subkey(key, 'device token')),
    webPush: of('web_push').map(({ bytes }) => privateKeyOf(bytes)),
    idTokens,
    jwks: { keys: [...accessTokens.map(publicKeyOf), ...idTokens.map(publicRsaKeyOf)] },
  };
}

/** Anything: only the pepper decides whether its hash verifies. */
const probe = 'pepper check';

interface PepperCheck {
  readonly secrets: KeyEncryption;
  readonly passwords: Passwords;
  readonly now: number;
}

/**
 * Throws a `SettingsError` if accounts exist and PASSWORD_PEPPER is not the one of earlier starts: no password would match,
 * owners would lock themselves out, and new hashes would need the wrong pepper. The first start stores a hash to compare with.
 */
export async function ensurePepper(store: Store, given: PepperCheck): Promise<void> {
  const { secrets, passwords, now } = given;
  const seal = async () => secrets.seal(Buffer.from(await passwords.hash(probe)));
  if (!(await pepperCheck(store))) await addPepperCheck(store, { secret: await seal(), now });
  if (await isPepperOfDatabase(store, given)) return;
  if (await hasAccounts(store)) refuse();
  await replacePepperCheck(store, { secret: await seal(), now });
}

/** Throws as `ensurePepper` does, and changes nothing. */
export async function checkPepper(store: Store, given: Omit<PepperCheck, 'now'>): Promise<void> {
  if (!(await isPepperOfDatabase(store, given)) && (await hasAccounts(store))) refuse();
}

async function isPepperOfDatabase(store: Store, { secrets, passwords }: Omit<PepperCheck, 'now'>): Promise<boolean> {
  const sealed = await pepperCheck(store);
  if (!sealed) return true;
  const hash = secrets.open(sealed.secret).toString();
  return passwords.verify(hash, probe);
}

function refuse(): never {
  throw new SettingsError(
    'PASSWORD_PEPPER: the passwords in the database were hashed with another pepper or without one; restore the setting',
  );
}
