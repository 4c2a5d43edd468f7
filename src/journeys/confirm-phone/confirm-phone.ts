import { refuse } from '../../contract/refuse.ts';
import { CallRefused, type Checked } from '../../phone-calls/provider.ts';
import { isProof, proofOf } from '../../security/answer-proofs.ts';
import { writeConfirmation } from '../../security/phone-confirmations.ts';
import type { Service } from '../../server/foundation.ts';
import { isLinkAlive } from '../../store/calls/confirmation-links.ts';
import {
  confirmCall,
  findCall,
  isUsable,
  type PhoneCallsTable,
  returnTry,
  takeTry,
} from '../../store/calls/phone-calls.ts';
import { countRequest, uncount } from '../../store/limits.ts';
import { checksOf, triesOf } from './calls/call-limits.ts';
import * as contract from './confirm-phone.contract.ts';

/** What a registration sends along to show that a number was confirmed. */
export const confirmationOf = ({ keyring }: Service, { id, phone }: PhoneCallsTable) => ({
  phone_confirmation: writeConfirmation(keyring.phoneConfirmations[0] as Buffer, id),
  phone,
});

/** What has become of a call. Only whoever asked for it knows its id, so a confirmed one is told whole. */
export async function describeCall(service: Service, id: string) {
  const call = await findCall(service.store, id);
  if (!call) throw refuse(contract.readCall, 'not_found');
  if (call.state === 'confirmed') {
    return isUsable(call, service.now())
      ? { state: call.state, ...confirmationOf(service, call) }
      : { state: 'expired' as const };
  }
  if (call.state === 'failed') return { state: call.state };
  if (call.state === 'placed' && call.way === 'reverse') return hearArrival(service, call);
  const hasTries = call.state === 'calling' || call.attempts_left > 0;
  const lives = hasTries && (await isAlive(service, call));
  return { state: lives ? call.state : ('expired' as const) };
}

/** Asks the provider, whose answer may confirm the number. */
async function hearArrival(service: Service, call: PhoneCallsTable) {
  const { id, provider, reference, expires_at } = call;
  if (provider === null || reference === null || expires_at <= service.now()) return { state: 'expired' as const };
  // What nobody answers is asked again by the page.
  const heard = await service.calls.arrived({ provider, reference }).catch(() => 'waiting' as const);
  if (heard !== 'confirmed') return { state: heard === 'expired' ? heard : ('placed' as const) };
  const proof = proofOf(service.keyring.calls[0] as Buffer, id, reference);
  // A page that asks at the same time may have confirmed it.
  await confirmCall(service.store, { id, proof, now: service.now() });
  return { state: 'confirmed' as const, ...confirmationOf(service, call) };
}

async function isAlive({ store, now }: Service, { id, way, expires_at }: PhoneCallsTable): Promise<boolean> {
  return way === 'mail' ? isLinkAlive(store, { id, now: now() }) : expires_at > now();
}

const withDigits = ['ring', 'voice', 'telegram', 'sms'] as const;

/** Compares the digits with those of the call. A try is taken before they are looked at, so that parallel guesses share three. */
export async function confirmDigits(service: Service, { call: id, digits }: { call: string; digits: string }) {
  const now = service.now();
  const call = await takeTry(service.store, { id, ways: withDigits, now });
  if (!call) return alreadyConfirmed(service, { id, digits });
  const counted = await countRequest(service.store, [triesOf(call), checksOf(call.phone)], now);
  if (counted.state === 'refused') throw refuse(contract.confirmDigits, 'call_expired');
  const uncountTry = () => uncount(service.store, counted.hits.slice(0, 1));

  const outcome = await judge(service, call, digits).catch(async (error: unknown) => {
    if (!(error instanceof CallRefused)) throw error;
    // What a provider does not look at costs the person nothing.
    await returnTry(service.store, id);
    await uncountTry();
    throw refuse(contract.confirmDigits, 'try_again_later', { retryAfter: 5, cause: error });
  });
  // The same digits, sent at the same time, may have confirmed it: its provider then knows them no more.
  if (outcome !== 'confirmed' && (await isConfirmed(service, id))) return alreadyConfirmed(service, { id, digits });
  if (outcome === 'expired') throw refuse(contract.confirmDigits, 'call_expired');
  if (outcome === 'wrong')
    throw refuse(contract.confirmDigits, 'digits_incorrect', { attemptsLeft: call.attempts_left });
  // Only wrong digits are counted for the day.
  await uncountTry();
  // The digits of a call that only its provider knew are ours to compare from now on.
  const proof = proofOf(service.keyring.calls[0] as Buffer, id, digits);
  if (!(await confirmCall(service.store, { id, proof, now }))) return alreadyConfirmed(service, { id, digits });
  return confirmationOf(service, call);
}

const isConfirmed = async ({ store }: Service, id: string): Promise<boolean> =>
  (await findCall(store, id))?.state === 'confirmed';

/** The right digits sent twice are right twice, and wrong ones stay wrong. */
async function alreadyConfirmed(service: Service, { id, digits }: { id: string; digits: string }) {
  const call = await findCall(service.store, id);
  if (call?.state !== 'confirmed' || call.way === 'mail' || !isUsable(call, service.now()))
    throw refuse(contract.confirmDigits, 'call_expired');
  const isWrong = call.proof === null || !isProof(service.keyring.calls, call.proof, { id, answer: digits });
  if (isWrong) throw refuse(contract.confirmDigits, 'digits_incorrect', { attemptsLeft: call.attempts_left });
  return confirmationOf(service, call);
}

async function judge(service: Service, call: PhoneCallsTable, digits: string): Promise<Checked> {
  if (call.proof !== null) {
    return isProof(service.keyring.calls, call.proof, { id: call.id, answer: digits }) ? 'confirmed' : 'wrong';
  }
  const { provider, reference } = call;
  if (provider === null || reference === null) return 'expired';
  return service.calls.check({ provider, reference, digits });
}
