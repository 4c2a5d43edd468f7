import { refuse } from '../../contract/refuse.ts';
import { CallRefused, type Checked } from '../../phone-calls/provider.ts';
import { isProof, writeConfirmation } from '../../security/phone-proofs.ts';
import type { Service } from '../../server/foundation.ts';
import { countRequest } from '../../store/limits.ts';
import { confirmCall, findCall, isUsable, type PhoneCallsTable, returnTry, takeTry } from '../../store/phone-calls.ts';
import * as contract from './confirm-phone.contract.ts';
import { triesOf } from './place-call.ts';

/** What a registration sends along to show that a number was confirmed. */
const confirmationOf = ({ keyring }: Service, { id, phone }: PhoneCallsTable) => ({
  phone_confirmation: writeConfirmation(keyring.phone[0] as Buffer, id),
  phone,
});

/** How a call stands. Only who asked for it knows its id, so a confirmed one is told whole. */
export async function describeCall(service: Service, id: string) {
  const call = await findCall(service.store, id);
  if (!call) throw refuse(contract.readCall, 'not_found');
  if (call.state === 'confirmed') {
    return isUsable(call, service.now())
      ? { state: call.state, ...confirmationOf(service, call) }
      : { state: 'expired' as const };
  }
  const isOver = call.expires_at <= service.now() || (call.state === 'placed' && call.attempts_left === 0);
  return { state: isOver && call.state !== 'failed' ? ('expired' as const) : call.state };
}

/** Compares the digits with those of the call. A try is taken before they are looked at, so that parallel guesses share three. */
export async function confirmDigits(service: Service, { call: id, digits }: { call: string; digits: string }) {
  const now = service.now();
  const call = await takeTry(service.store, { id, ways: ['ring', 'voice'], now });
  if (!call) return alreadyConfirmed(service, { id, digits });
  const counted = await countRequest(service.store, [triesOf(call.phone)], now);
  if (counted.state === 'refused') throw refuse(contract.confirmDigits, 'call_expired');

  const outcome = await judge(service, call, digits);
  if (outcome === 'expired') throw refuse(contract.confirmDigits, 'call_expired');
  if (outcome === 'wrong')
    throw refuse(contract.confirmDigits, 'digits_incorrect', { attemptsLeft: call.attempts_left });
  if (!(await confirmCall(service.store, { id, now }))) return alreadyConfirmed(service, { id, digits });
  return confirmationOf(service, call);
}

/** The right digits sent twice are right twice, and wrong ones stay wrong. */
async function alreadyConfirmed(service: Service, { id, digits }: { id: string; digits: string }) {
  const call = await findCall(service.store, id);
  if (call?.state !== 'confirmed' || call.way === 'mail' || !isUsable(call, service.now()))
    throw refuse(contract.confirmDigits, 'call_expired');
  const isWrong = call.proof !== null && !isProof(service.keyring.phone, call.proof, { call: id, answer: digits });
  if (isWrong) throw refuse(contract.confirmDigits, 'digits_incorrect', { attemptsLeft: call.attempts_left });
  return confirmationOf(service, call);
}

async function judge(service: Service, call: PhoneCallsTable, digits: string): Promise<Checked> {
  if (call.proof !== null) {
    return isProof(service.keyring.phone, call.proof, { call: call.id, answer: digits }) ? 'confirmed' : 'wrong';
  }
  const { provider, reference } = call;
  if (provider === null || reference === null) return 'expired';
  try {
    return await service.calls.check({ provider, reference, digits });
  } catch (error) {
    if (!(error instanceof CallRefused)) throw error;
    await returnTry(service.store, call.id);
    throw refuse(contract.confirmDigits, 'try_again_later', { retryAfter: 5, cause: error });
  }
}
