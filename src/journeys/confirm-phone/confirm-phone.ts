import { Failure, refuse, refuseField } from '../../contract/failures.ts';
import { phoneDigits } from '../../contract/fields/field-sizes.ts';
import { digitsThatCount, misfitOf } from '../../contract/fields/fields.ts';
import { CallRefused, type DigitCheck } from '../../phone-calls/provider.ts';
import { isMacOfCode, macOfCode, writeConfirmation } from '../../security/macs.ts';
import type { Service } from '../../server/service.ts';
import { isLinkAlive } from '../../store/calls/confirmation-links.ts';
import {
  confirmCall,
  findCall,
  isUsable,
  type PhoneCallsTable,
  returnTry,
  siblingsOf,
  takeTry,
} from '../../store/calls/phone-calls.ts';
import { countRequest, rateLimitsFreeAt, refundHits } from '../../store/rate-limits.ts';
import type { Visitor } from '../../store/visitor.ts';
import { countConfirmation } from './calls/call-budget.ts';
import { type Caller, digitTriesLimit, ownerOf, statusChecksLimit, triesAt } from './calls/call-rate-limits.ts';
import { isLost } from './calls/repeated-request.ts';
import * as contract from './confirm-phone.contract.ts';

/** Proof of a confirmed number, for the registration. */
export const confirmationOf = ({ keyring }: Service, { id, phone }: PhoneCallsTable) => ({
  phone_confirmation: writeConfirmation(keyring.phoneConfirmations[0] as Buffer, id),
  phone,
});

/** Status of a call. Only the requester knows its id, so the response for a confirmed call includes the proof. */
export async function describeCall(service: Service, id: string) {
  const call = await findCall(service.store, id);
  if (!call) throw refuse(contract.readCall, 'not_found');
  if (call.state === 'confirmed') {
    return isUsable(call, service.now())
      ? { state: call.state, ...confirmationOf(service, call) }
      : { state: 'expired' as const };
  }
  if (call.state === 'failed') return { state: call.state };
  if (call.state === 'placed' && call.way === 'reverse') return checkReverseCall(service, call);
  if (await isLost(service, call)) return { state: 'failed' as const };
  const hasTries = call.state === 'calling' || call.attempts_left > 0;
  const lives = hasTries && (await isAlive(service, call));
  return { state: lives ? call.state : ('expired' as const) };
}

/** Queries the provider, whose response may confirm the number. */
async function checkReverseCall(service: Service, call: PhoneCallsTable) {
  const { provider, reference, expires_at } = call;
  if (provider === null || reference === null || expires_at <= service.now()) return { state: 'expired' as const };
  // If the provider does not respond, the page asks again.
  const status = await service.calls.arrived({ provider, reference }).catch(() => 'waiting' as const);
  if (status !== 'confirmed') return { state: status === 'expired' ? status : ('placed' as const) };
  const { store, keyring, now } = service;
  const proof = macOfCode(keyring.calls[0] as Buffer, call.id, reference);
  if (await confirmCall(store, { id: call.id, proof, now: now() })) countConfirmed(service, call);
  return { state: 'confirmed' as const, ...confirmationOf(service, call) };
}

/** By provider and country, for operators. */
const countConfirmed = ({ counters }: Service, { provider, country }: PhoneCallsTable) =>
  counters.count('calls', `confirmed ${provider} ${country}`);

async function isAlive({ store, now }: Service, { id, way, expires_at }: PhoneCallsTable): Promise<boolean> {
  return way === 'mail' ? isLinkAlive(store, { id, now: now() }) : expires_at > now();
}

const withDigits = ['ring', 'voice', 'whatsapp', 'telegram', 'sms'] as const;

interface TypedDigits {
  readonly call: string;
  readonly digits: string;
  readonly visitor: Visitor;
  /** The cookie of a browser that has signed in before. */
  readonly deviceToken: string | undefined;
}

/**
 * Compares the digits with those of the call, or of another pending call of the same browser to the number. Takes a try
 * before the comparison, so that parallel guesses share three tries.
 */
export async function confirmDigits(service: Service, { call: id, digits: typed, visitor, deviceToken }: TypedDigits) {
  const named = await findCall(service.store, id);
  if (!named) throw refuse(contract.confirmDigits, 'call_expired');
  const others = await siblingsOf(service.store, named, service.now());
  const fitting = [named, ...others].filter((one) => digitsMatch(one, typed));
  const [first = named, ...rest] = fitting;
  const misfit = misfitOf(digitsOf(named));
  if (fitting.length === 0) throw refuseField(contract.confirmDigits, { field: 'digits', code: misfit });
  const owner = await ownerOf(service, { deviceToken, phone: named.phone });
  try {
    return await confirmOne(service, { call: first, typed, visitor, owner });
  } catch (error) {
    if (!(error instanceof Failure) || (error.code !== 'digits_incorrect' && error.code !== 'call_expired'))
      throw error;
    for (const other of rest) {
      const confirmed = await confirmOne(service, { call: other, typed, visitor, owner }).catch(() => undefined);
      if (confirmed) return confirmed;
    }
    throw error;
  }
}

const digitsOf = ({ digits }: PhoneCallsTable): number => digits ?? phoneDigits;

const digitsMatch = (call: PhoneCallsTable, typed: string): boolean =>
  call.way !== 'mail' && digitsThatCount(typed, digitsOf(call)) !== undefined;

interface EnteredDigits extends Pick<Caller, 'visitor' | 'owner'> {
  readonly call: PhoneCallsTable;
  /** The typed digits, as many as the call has. */
  readonly typed: string;
}

async function confirmOne(service: Service, { call: confirmed, typed, visitor, owner }: EnteredDigits) {
  const now = service.now();
  const { id } = confirmed;
  const digits = digitsThatCount(typed, digitsOf(confirmed)) as string;
  const call = await takeTry(service.store, { id, ways: withDigits, now });
  if (!call) return alreadyConfirmed(service, { id, digits });
  const counted = await countTry(service, { ...call, owner });
  const uncountTry = () => refundHits(service.store, counted.hits.slice(0, -1));

  const outcome = await judge(service, call, digits).catch(async (error: unknown) => {
    if (!(error instanceof CallRefused)) throw error;
    // A try that the provider did not check costs the user nothing.
    await returnTry(service.store, id);
    await uncountTry();
    throw refuse(contract.confirmDigits, 'try_again_later', { retryAfter: 5, cause: error });
  });
  // A concurrent request with the same digits may have confirmed the call; its provider then no longer knows them.
  if (outcome !== 'confirmed' && (await isConfirmed(service, id))) return alreadyConfirmed(service, { id, digits });
  if (outcome === 'expired') throw refuse(contract.confirmDigits, 'call_expired');
  if (outcome === 'wrong') {
    if (call.attempts_left === 0) withdraw(service, call);
    throw refuse(contract.confirmDigits, 'digits_incorrect', { attempts_left: call.attempts_left });
  }
  // Only wrong digits count toward the daily limit.
  await uncountTry();
  // From now on we compare the digits, including those that only the provider knew.
  const proof = macOfCode(service.keyring.calls[0] as Buffer, id, digits);
  if (!(await confirmCall(service.store, { id, proof, now }))) return alreadyConfirmed(service, { id, digits });
  countConfirmed(service, call);
  await countConfirmation(service, { phone: call.phone, visitor });
  report(service, call, digits);
  return confirmationOf(service, call);
}

/**
 * Counts a try before the comparison: as a wrong one of the day, and as a check at the provider, which may not respond.
 */
async function countTry(service: Service, call: PhoneCallsTable & Pick<Caller, 'owner'>) {
  const now = service.now();
  const guesses = [digitTriesLimit(call), triesAt(call)];
  const counted = await countRequest(service.store, [...guesses, statusChecksLimit(call.phone)], now);
  if (counted.state === 'counted') return counted;
  if ((await rateLimitsFreeAt(service.store, guesses, now)) > now) throw refuse(contract.confirmDigits, 'call_expired');
  // The provider is down: the digits may be right, and the user can try them again once it is back.
  await returnTry(service.store, call.id);
  throw refuse(contract.confirmDigits, 'call_failed', { retryAfter: 60 });
}

/** Revokes a message whose digits are no longer valid. */
function withdraw({ calls }: Service, { provider, reference, proof }: PhoneCallsTable): void {
  if (provider !== null && reference !== null && proof !== null) calls.revoke({ provider, reference });
}

/** Reports to the sender of a message that the user typed its digits. */
function report({ calls }: Service, { provider, reference, proof }: PhoneCallsTable, digits: string): void {
  if (provider !== null && reference !== null && proof !== null) calls.succeeded({ provider, reference, digits });
}

const isConfirmed = async ({ store }: Service, id: string): Promise<boolean> =>
  (await findCall(store, id))?.state === 'confirmed';

/** Repeating the right digits succeeds again; wrong digits still fail. */
async function alreadyConfirmed(service: Service, { id, digits }: { id: string; digits: string }) {
  const call = await findCall(service.store, id);
  if (call?.state !== 'confirmed' || call.way === 'mail' || !isUsable(call, service.now()))
    throw refuse(contract.confirmDigits, 'call_expired');
  const isWrong = call.proof === null || !isMacOfCode(service.keyring.calls, call.proof, { id, code: digits });
  if (isWrong) throw refuse(contract.confirmDigits, 'digits_incorrect', { attempts_left: call.attempts_left });
  return confirmationOf(service, call);
}

async function judge(service: Service, call: PhoneCallsTable, digits: string): Promise<DigitCheck> {
  if (call.proof !== null) {
    return isMacOfCode(service.keyring.calls, call.proof, { id: call.id, code: digits }) ? 'confirmed' : 'wrong';
  }
  const { provider, reference } = call;
  if (provider === null || reference === null) return 'expired';
  return service.calls.check({ provider, reference, digits });
}
