import { type Keep, once } from '../../access/once.ts';
import {
  descriptorOf,
  notifyPasskeyAdded,
  notifyPasskeyRemoved,
  relyingPartyOf,
  requestChallenge,
} from '../../access/passkeys.ts';
import { unknownBrowser } from '../../contract/activity.ts';
import type { BodyRead, ResponseBody } from '../../contract/endpoint.ts';
import { type Refusing, refuse } from '../../contract/failures.ts';
import { challengeLifetime } from '../../contract/sign-in/admission.ts';
import { iso, isoOrNull } from '../../contract/units.ts';
import { enqueueCapped } from '../../outbox/enqueue-email.ts';
import { isPassword, noHash } from '../../security/imported-hashes.ts';
import { randomSecret, sha256 } from '../../security/macs.ts';
import { providerOf } from '../../security/web-authn/providers.ts';
import {
  type CreatedCredential,
  challengeIn,
  InvalidCredential,
  passkeyAlgorithms,
  verifyCreation,
} from '../../security/web-authn/web-authn.ts';
import type { Service } from '../../server/service.ts';
import {
  addPasskey,
  challenges,
  countPasskeys,
  findPasskey,
  knownUserHandle,
  type PasskeysTable,
  type PresentedChallenge,
  passkeysOf,
  removePasskey as removeRow,
  renamePasskey as renameRow,
  userHandleOf,
} from '../../store/access/passkeys.ts';
import { lockSignedInAccount, type Owner } from '../../store/access/session-owner.ts';
import { type AccountsTable, setPassword } from '../../store/accounts/accounts.ts';
import { recordActivity } from '../../store/accounts/activity-log.ts';
import { deviceName } from '../../store/browser-names.ts';
import type { StoreTransaction } from '../../store/database.ts';
import type { Visitor } from '../../store/visitor.ts';
import * as contract from './passkeys.contract.ts';

/** More than a person has; the browser gets the ids of all of them before each creation. */
const maxPasskeys = 50;

/** The limit in the refusal distinguishes it from a passkey that could not be verified. */
const tooManyPasskeys = (endpoint: Refusing<'passkey_refused'>) =>
  refuse(endpoint, 'passkey_refused', { limit: maxPasskeys });

interface SignedIn {
  readonly account: AccountsTable;
  readonly sessionId: string;
}

interface CreationRequest extends SignedIn {
  readonly browserSecret: string;
  /** The browser creates the passkey without a prompt. */
  readonly automatic: boolean;
}

/** Returns the options for `navigator.credentials.create`. Refuses with `passkey_refused` if the account has too many. */
export async function requestCreation(
  service: Service,
  { account, sessionId, browserSecret, automatic }: CreationRequest,
): Promise<ResponseBody<typeof contract.newPasskeyChallenge>> {
  const { store, config } = service;
  const { id: accountId, email, name } = account;
  const handle = await userHandleOf(store, { accountId, fresh: randomSecret(256) });
  const passkeys = await passkeysOf(store, accountId);
  // Checked before the browser creates a passkey that would be useless.
  if (passkeys.length >= maxPasskeys) throw tooManyPasskeys(contract.newPasskeyChallenge);
  const challenge = await requestChallenge(service, {
    ...{ purpose: 'create', browserSecret, accountId, sessionId, automatic },
  });
  return {
    rp: { id: relyingPartyOf(service).id, name: config.PRODUCT_NAME },
    user: { id: handle, name: email, displayName: name || email },
    challenge,
    pubKeyCredParams: passkeyAlgorithms.map((alg) => ({ type: 'public-key', alg })),
    timeout: challengeLifetime,
    excludeCredentials: passkeys.map(descriptorOf),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      // An automatic creation has no prompt that could verify the user.
      userVerification: automatic ? 'preferred' : 'required',
    },
    attestation: 'none',
  };
}

interface NewPasskey extends SignedIn, BodyRead<typeof contract.addPasskey> {
  readonly browserSecret: string | undefined;
  readonly visitor: Visitor;
}

/**
 * Adds a passkey, and notifies the owner. Refuses with `challenge_expired`, `passkey_refused` or, if any account has it
 * already, `passkey_exists`.
 */
export function createPasskey(service: Service, request: NewPasskey): Promise<AddedPasskey> {
  const { sessionId: browser, browserSecret, credential, name } = request;
  const step = { name: 'add_passkey', browser, request: [browserSecret, credential, name] };
  const again = async (added: AddedPasskey) => {
    const passkey = await findPasskey(service.store, added.id);
    return passkey?.account_id === request.account.id ? describePasskey(passkey) : undefined;
  };
  return once(service, { step, again }, (keep) => addCreated(service, request, keep));
}

type AddedPasskey = ResponseBody<typeof contract.addPasskey>;

async function addCreated(service: Service, request: NewPasskey, keep: Keep<AddedPasskey>): Promise<AddedPasskey> {
  const { account, sessionId, credential, visitor } = request;
  const { store, now } = service;
  const presented = presentedBy(request);
  const challenge = await challenges.find(store, presented, now());
  if (!challenge) throw refuse(contract.addPasskey, 'challenge_expired');
  const created = await verify(service, { request, automatic: challenge.automatic === 1 }).catch(async (error) => {
    await challenges.use(store, presented, now());
    throw error;
  });
  const at = now();
  const passkey = { ...rowOf(created, request), account_id: account.id, session_id: sessionId, created_at: at };
  await store.transaction().execute(async (trx) => {
    const owner = await lockSignedInAccount(trx, {
      ...{ endpoint: contract.addPasskey, accountId: account.id, sessionId, now: at },
    });
    if (!(await challenges.use(trx, presented, at))) throw refuse(contract.addPasskey, 'challenge_expired');
    if ((await countPasskeys(trx, account.id)) >= maxPasskeys) throw tooManyPasskeys(contract.addPasskey);
    if (!(await addPasskey(trx, passkey))) throw refuse(contract.addPasskey, 'passkey_exists');
    await notifyPasskeyAdded(service, trx, { account: owner, passkey, visitor, at });
    await keep(trx, { accountId: account.id, result: describePasskey(passkey), at });
  });
  service.outbox.wake();
  return describePasskey(passkey);

  function rowOf(
    { id, publicKey, ...made }: CreatedCredential,
    { name }: NewPasskey,
  ): Omit<PasskeysTable, 'account_id' | 'session_id' | 'created_at'> {
    return {
      id,
      name: name ?? nameOf(made.aaguid, visitor),
      aaguid: made.aaguid,
      public_key: publicKey,
      algorithm: made.algorithm,
      counter: made.counter,
      transports: transportsOf(credential),
      backup_eligible: made.backupEligible ? 1 : 0,
      eligibility_changed_at: null,
      backed_up: made.backedUp ? 1 : 0,
      last_used_at: null,
    };
  }
}

function presentedBy({ account, sessionId, credential, browserSecret = '' }: NewPasskey): PresentedChallenge {
  try {
    const hash = sha256(challengeIn(credential));
    const browser_hash = sha256(browserSecret);
    return { hash, purpose: 'create', browser_hash, account_id: account.id, session_id: sessionId };
  } catch (cause) {
    throw refuse(contract.addPasskey, 'passkey_refused', { cause });
  }
}

async function verify(
  service: Service,
  { request: { credential }, automatic }: { readonly request: NewPasskey; readonly automatic: boolean },
): Promise<CreatedCredential> {
  try {
    const challenge = challengeIn(credential);
    return await verifyCreation(credential, { challenge, relyingParty: relyingPartyOf(service), automatic });
  } catch (cause) {
    if (!(cause instanceof InvalidCredential)) throw cause;
    throw refuse(contract.addPasskey, 'passkey_refused', { cause });
  }
}

/** Until its owner renames it: the name of its provider, or of the browser that it was created in. */
function nameOf(aaguid: string, { userAgent }: Visitor): string {
  const device = deviceName(userAgent);
  return providerOf(aaguid) ?? (device === unknownBrowser ? 'Passkey' : device);
}

/** Hints for later requests; values that browsers may add are kept if they cannot be mistaken for two. */
const transportsOf = ({ response: { transports = [] } }: NewPasskey['credential']): string =>
  transports.filter((transport) => /^[a-z-]+$/.test(transport)).join(',');

/** A passkey as its owner sees it. */
const describePasskey = (passkey: PasskeysTable): ResponseBody<typeof contract.addPasskey> => ({
  id: passkey.id,
  name: passkey.name,
  provider: providerOf(passkey.aaguid),
  synced: passkey.backed_up === 1,
  created_at: iso(passkey.created_at),
  last_used_at: isoOrNull(passkey.last_used_at),
});

export async function listPasskeys(
  { store, config }: Service,
  accountId: string,
): Promise<ResponseBody<typeof contract.listPasskeys>> {
  const [passkeys, userId] = await Promise.all([passkeysOf(store, accountId), knownUserHandle(store, accountId)]);
  const owner = userId !== undefined && config.relyingParty && { rp_id: config.relyingParty.id, user_id: userId };
  return { passkeys: passkeys.map(describePasskey), ...owner };
}

export async function renamePasskey(
  trx: StoreTransaction,
  { accountId, id, name }: { readonly accountId: string; readonly id: string; readonly name: string },
): Promise<ResponseBody<typeof contract.renamePasskey>> {
  const renamed = await renameRow(trx, { id, accountId, name });
  if (!renamed) throw refuse(contract.renamePasskey, 'not_found');
  return describePasskey(renamed);
}

/** How many passkeys an account without a password must keep. */
const leastWithoutPassword = 1;
/** How many it needs before its password can be removed: one of them may be on a lost device. */
const leastToRemovePassword = 2;

/** Removes a passkey. Refuses with `last_way_in` if the account has neither another one nor a password. */
export async function removePasskey(
  service: Service,
  trx: StoreTransaction,
  { account, accountId, visitor, at, id }: Owner & { readonly id: string },
): Promise<void> {
  const passkey = await removeRow(trx, { id, accountId });
  if (!passkey) throw refuse(contract.removePasskey, 'not_found');
  if (!isPassword(account.password_hash) && (await countPasskeys(trx, accountId)) < leastWithoutPassword)
    throw refuse(contract.removePasskey, 'last_way_in');
  await notifyPasskeyRemoved(service, trx, { account, passkey, visitor, at });
}

/** Removes the password of an account with at least two passkeys; a recovery sets one again. */
export async function removePassword(trx: StoreTransaction, { account, accountId, visitor, at }: Owner): Promise<void> {
  if ((await countPasskeys(trx, accountId)) < leastToRemovePassword)
    throw refuse(contract.removePassword, 'last_way_in');
  // A client may repeat the request if the response was lost.
  if (!isPassword(account.password_hash)) return;
  await setPassword(trx, { accountId, hash: noHash, at });
  await recordActivity(trx, { accountId, at, kind: 'password_removed', visitor });
  await enqueueCapped(trx, { notice: 'password_removed', params: { when: at }, account, at });
}
