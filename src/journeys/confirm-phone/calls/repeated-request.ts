import type { ConfirmationWay } from '../../../contract/call-ways.ts';
import { seconds } from '../../../contract/durations.ts';
import { phoneDigits, sentDigits } from '../../../contract/field-sizes.ts';
import { type Refusing, refuse } from '../../../contract/refuse.ts';
import { sha256 } from '../../../security/secrets.ts';
import type { Service } from '../../../server/service.ts';
import { confirmationLinkLifetime, isLinkAlive } from '../../../store/calls/confirmation-links.ts';
import { isUsable, type PhoneCallsTable } from '../../../store/calls/phone-calls.ts';
import { findRepeatedCall } from '../../../store/calls/repeated-calls.ts';
import type { Store } from '../../../store/database.ts';
import { callResendPause } from './number-rate-limits.ts';

export const triesPerCall = 3;

type Digits = typeof phoneDigits | typeof sentDigits;

/** What the browser needs in order to wait; durations in seconds. */
export const waitingFor = (call: string, lifetime: number) => ({
  call,
  digits: phoneDigits as Digits,
  expires_in: lifetime / 1000,
  resend_in: callResendPause / 1000,
  attempts_left: triesPerCall,
});

interface ConfirmationRequestKey {
  /** E.164. */
  readonly phone: string;
  readonly way: ConfirmationWay;
  /** Where a link goes. */
  readonly email?: string;
  /** What the page sends again when no answer came. */
  readonly attempt?: string | undefined;
}

/** How an attempt is kept: for one number in one way, and of no use to whoever reads the table. Null where the page sends none. */
export const keptAttempt = ({ attempt, phone, way, email }: ConfirmationRequestKey): string | null =>
  attempt === undefined ? null : sha256(JSON.stringify([attempt, phone, way, email]));

/** Whole seconds, and none of what is past. */
const secondsUntil = (time: number, now: number): number => Math.max(0, Math.ceil((time - now) / seconds(1)));

/**
 * What the same page was told, or should have been, when it asked for the very same before: its answer may have been lost.
 * Costs nothing and counts nothing. Undefined where nothing of it is live.
 */
export async function findRepeatedRequest(
  { store, now: clock }: Pick<Service, 'now'> & { readonly store: Store },
  endpoint: Refusing<'try_again_later'>,
  request: ConfirmationRequestKey,
) {
  const attempt = keptAttempt(request);
  if (attempt === null) return undefined;
  const now = clock();
  const call = await findRepeatedCall(store, { phone: request.phone, attempt, now });
  if (!call || !(await isLive(store, call, now))) return undefined;
  // Whom to call is not known before a provider has said it.
  if (call.way === 'reverse' && call.state === 'calling') throw refuse(endpoint, 'try_again_later', { retryAfter: 2 });
  return waitingStill({ now: clock }, call);
}

/** What is left of a call that is under way. */
export function waitingStill({ now: clock }: Pick<Service, 'now'>, call: PhoneCallsTable) {
  const { id, way, created_at, attempts_left, number } = call;
  const now = clock();
  const until = way === 'mail' ? created_at + confirmationLinkLifetime : call.expires_at;
  return {
    ...waitingFor(id, 0),
    digits: (call.digits ?? usualDigits(call)) as Digits,
    expires_in: secondsUntil(until, now),
    resend_in: secondsUntil(created_at + callResendPause, now),
    attempts_left,
    ...(number !== null && { number }),
  };
}

/** Of a call that no provider has taken up yet. */
const usualDigits = ({ way, state }: PhoneCallsTable): number =>
  state === 'calling' && way !== 'ring' && way !== 'reverse' ? sentDigits : phoneDigits;

async function isLive(store: Store, call: PhoneCallsTable, now: number): Promise<boolean> {
  if (call.state === 'confirmed') return isUsable(call, now);
  // What broke off while a provider was asked does not hold up the next call.
  if (call.state === 'calling') return call.created_at > now - callResendPause;
  return call.way !== 'mail' || isLinkAlive(store, { id: call.id, now });
}
