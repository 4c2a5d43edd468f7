import { BlockList, isIPv4 } from 'node:net';
import { type Refusing, refuse } from '../../contract/failures.ts';
import { days, iso, isoOrNull } from '../../contract/units.ts';
import { enqueueCapped } from '../../outbox/enqueue-email.ts';
import { randomSecret, sha256 } from '../../security/macs.ts';
import type { Service } from '../../server/service.ts';
import { lockSignedInAccount, type Owner } from '../../store/access/session-owner.ts';
import { recordActivity } from '../../store/accounts/activity-log.ts';
import { deviceName } from '../../store/browser-names.ts';
import type { Store, StoreTransaction } from '../../store/database.ts';
import * as contract from '../contract/enrolment-keys.ts';
import {
  addEnrolmentKey,
  type EnrolmentKeysTable,
  enrolmentKeysOf,
  findEnrolmentKey,
  revokeEnrolmentKeys,
  useEnrolmentKey,
} from '../store/enrolment-keys.ts';
import { enrol } from './device.contract.ts';
import { countEnrolment, type EnrolmentRequest, proveIdentityAgain } from './enrolment-request.ts';

/** Begins each key, so that people and scanners recognize one; a code contains no underscore. */
const prefix = 'vk_';

export const isEnrolmentKey = (presented: string): boolean => presented.startsWith(prefix);

const stateOf = (key: EnrolmentKeysTable, now: number): (typeof contract.keyStates)[number] => {
  if (key.revoked_at !== null) return 'revoked';
  if (key.uses >= key.max_uses) return 'used_up';
  return key.expires_at <= now ? 'expired' : 'valid';
};

const describe = (key: EnrolmentKeysTable, now: number) => ({
  id: key.id,
  name: key.name,
  tags: JSON.parse(key.tags) as string[],
  networks: networksOf(key),
  max_uses: key.max_uses,
  uses: key.uses,
  state: stateOf(key, now),
  created_at: iso(key.created_at),
  expires_at: iso(key.expires_at),
  last_used_at: isoOrNull(key.last_used_at),
});

const networksOf = ({ networks }: EnrolmentKeysTable) => JSON.parse(networks) as string[];

export async function listEnrolmentKeys({ store, now }: Service, accountId: string) {
  return { keys: (await enrolmentKeysOf(store, accountId)).map((key) => describe(key, now())) };
}

interface KeyRequest extends EnrolmentRequest {
  readonly name: string;
  readonly maxUses: number;
  /** Days until it expires. */
  readonly lifetime: number;
  readonly tags: readonly string[];
  /** In CIDR notation. */
  readonly networks: readonly string[];
}

/** Creates a key, and informs the owner: someone else may have done it. Returns the secret, which only now is known. */
export async function createEnrolmentKey(service: Service, request: KeyRequest) {
  const endpoint = contract.createEnrolmentKey;
  const { accountId, sessionId, visitor } = request;
  await proveIdentityAgain(service, endpoint, request);
  await countEnrolment(service, endpoint, accountId);
  const secret = `${prefix}${randomSecret(192)}`;
  const at = service.now();
  const key = await service.store.transaction().execute(async (trx) => {
    const account = await lockSignedInAccount(trx, { endpoint, accountId, sessionId, now: at });
    const valid = (await enrolmentKeysOf(trx, accountId)).filter((known) => stateOf(known, at) === 'valid');
    const limit = contract.keysPerAccount;
    if (valid.length >= limit) throw refuse(endpoint, 'key_limit_reached', { limit });
    const added = await addEnrolmentKey(trx, {
      id: randomSecret(128),
      account_id: accountId,
      name: request.name,
      key_hash: sha256(secret),
      tags: JSON.stringify(request.tags),
      networks: JSON.stringify(request.networks),
      max_uses: request.maxUses,
      created_at: at,
      expires_at: at + days(request.lifetime),
    });
    await recordActivity(trx, { accountId, at, kind: 'enrolment_key_added', visitor });
    // Only to a proven address, as about computers.
    if (account.email_proven_at !== null) {
      const place = service.geoip.of(visitor.ip, account.locale);
      const made = { device: deviceName(visitor.userAgent), ip: visitor.ip, place, when: at };
      const params = { ...made, count: added.max_uses, until: added.expires_at };
      await enqueueCapped(trx, { notice: 'enrolment_key_added', params, account, at });
    }
    return added;
  });
  service.outbox.wake();
  return { secret, key: describe(key, at) };
}

/** Revokes a key that still works; refuses any other with `not_found`. The computers that it added stay. */
export async function revokeEnrolmentKey(
  trx: StoreTransaction,
  { accountId, visitor, at, id }: Owner & { readonly id: string },
): Promise<void> {
  if ((await revokeEnrolmentKeys(trx, { accountId, id, at })) === 0)
    throw refuse(contract.revokeEnrolmentKey, 'not_found');
  await recordActivity(trx, { accountId, at, kind: 'enrolment_key_revoked', visitor });
}

/** The account of a key, in any state. Throws `enrolment_invalid` if there is no such key. */
export async function accountOfKey(store: Store, presented: string): Promise<string> {
  const key = await findEnrolmentKey(store, sha256(presented));
  if (!key) throw refuse(enrol, 'enrolment_invalid');
  return key.account_id;
}

type Unusable = 'enrolment_invalid' | `enrolment_key_${'revoked' | 'expired' | 'used_up'}` | 'network_not_allowed';

interface KeyUse {
  readonly endpoint: Refusing<Unusable>;
  readonly presented: string;
  /** The address of the computer. */
  readonly ip: string;
  readonly now: number;
}

/**
 * Counts a use of a key and returns the tags for the computer, as JSON. Throws why the key does not work; whoever holds
 * it may know. The caller has locked the account, so that a key is not revoked meanwhile.
 */
export async function useKey(trx: StoreTransaction, { endpoint, presented, ip, now }: KeyUse): Promise<string> {
  const key = await findEnrolmentKey(trx, sha256(presented));
  if (!key) throw refuse(endpoint, 'enrolment_invalid');
  const state = stateOf(key, now);
  if (state !== 'valid') throw refuse(endpoint, `enrolment_key_${state}`);
  if (!isWithin(networksOf(key), ip)) throw refuse(endpoint, 'network_not_allowed');
  if (!(await useEnrolmentKey(trx, { id: key.id, now }))) throw refuse(endpoint, 'enrolment_key_used_up');
  return key.tags;
}

/** Whether an address is in one of these networks; everywhere is, if there are none. */
function isWithin(networks: readonly string[], ip: string): boolean {
  if (networks.length === 0) return true;
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const [family, all] = isIPv4(address) ? (['ipv4', 32] as const) : (['ipv6', 128] as const);
    list.addSubnet(address, Number(prefix ?? all), family);
  }
  return list.check(ip, isIPv4(ip) ? 'ipv4' : 'ipv6');
}
