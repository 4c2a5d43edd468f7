import type { CallWay, ConfirmationWay } from '../../../contract/call-ways.ts';
import { readPhoneIn } from '../../../contract/fields/phone.ts';
import type { LanguageCode } from '../../../contract/languages.ts';
import { type Refusing, refuse } from '../../../contract/refuse.ts';
import { isUsableAddress } from '../../../outbox/domains/usable-address.ts';
import { isCallable } from '../../../phone-calls/callable.ts';
import { offeredWays } from '../../../phone-calls/confirmation-ways.ts';
import type { Service } from '../../../server/service.ts';
import { findAccountByEmail } from '../../../store/accounts/accounts.ts';
import { requestCall as contract } from '../confirm-phone.contract.ts';
import { TooManyCalls } from './call-rate-limits.ts';
import { type Caller, ownerOf } from './caller.ts';
import { type LocalizedCallRequest, placeCall } from './place-call.ts';
import { findRepeatedRequest, waitingStill } from './repeated-request.ts';
import { AlreadyWaiting, NumberInUse, requireNoOtherWait } from './reverse-wait.ts';
import { waysLeft } from './ways-left.ts';

interface CallWish extends Pick<Caller, 'visitor' | 'browser'> {
  /** The number as typed. */
  readonly phone: string;
  readonly locale: LanguageCode;
  readonly way: CallWay;
  readonly attempt?: string | undefined;
  /** The cookie of a browser that has signed in before. */
  readonly deviceToken: string | undefined;
}

/** The number in E.164; refuses numbers that libphonenumber cannot parse. */
export function requirePhone(
  endpoint: Refusing<'phone_invalid'>,
  { phone: typed, locale }: Pick<CallWish, 'phone' | 'locale'>,
): string {
  const phone = readPhoneIn(typed, locale);
  if (!phone) throw refuse(endpoint, 'phone_invalid');
  return phone;
}

/** Refuses an email address that cannot be registered, before a call is placed for it. */
export async function examineAddress(service: Service, email: string): Promise<void> {
  if (!(await isUsableAddress(service, email))) throw refuse(contract, 'email_cannot_be_used');
  if (await findAccountByEmail(service.store, email)) throw refuse(contract, 'account_exists');
}

/**
 * Places a call with the first provider that accepts it. Requests with the same `attempt` place one call and get the
 * same response. Refuses with `phone_invalid`, `number_in_use`, `TooManyCalls` or `call_failed`, and names the
 * remaining ways.
 */
export async function requestCall(service: Service, { deviceToken, ...asked }: CallWish) {
  const phone = requirePhone(contract, asked);
  if (!isCallable(phone, service.config.CALL_COUNTRIES)) throw refuse(contract, 'phone_invalid');
  const request = { ...asked, phone, owner: await ownerOf(service, { deviceToken, phone }) };
  const { way, attempt } = request;
  const left = (besides: readonly CallWay[]) => waysLeft(service, { ...request, besides });
  // Enforced here, not only on the page: the operator may exclude a way because it proves too little.
  const isOffered = offeredWays(service.config, service.calls.ways).includes(way);
  if (!isOffered || service.calls.whoGoes(way, request).length === 0)
    throw refuse(contract, 'call_failed', { ways: await left([way]) });
  const before = () => findRepeatedRequest(service, contract, { phone, way, attempt });
  const requireNoOther = () => requireNoOtherWait(service.store, { ...request, now: service.now() });
  const repeated = await before();
  if (repeated) return { ...repeated, ways: reachedBesides(service, request) };
  const work = async () => {
    await requireNoOther();
    return placeCall(service, request);
  };
  const done = await work().catch(async (error: unknown) => {
    if (!(error instanceof TooManyCalls)) return whileWaiting(error);
    // A concurrent request with the same attempt may have reached the limit.
    const meanwhile = (await before()) ?? (await requireNoOther().catch(whileWaiting));
    if (!meanwhile) throw new TooManyCalls(error.wait, await left([way]));
    return meanwhile;
  });
  return { ...done, ways: reachedBesides(service, request) };

  async function whileWaiting(error: unknown) {
    if (error instanceof AlreadyWaiting) return waitingStill(service, error.wait);
    if (error instanceof NumberInUse) throw refuse(contract, 'number_in_use', { ways: await left(['reverse']) });
    throw error;
  }
}

/** Other ways that reach the number, regardless of used-up limits; a request for one of them checks those. */
const reachedBesides = (service: Service, request: LocalizedCallRequest): ConfirmationWay[] =>
  offeredWays(service.config, service.calls.ways).filter(
    (way) => way !== request.way && (way === 'mail' || service.calls.whoGoes(way, request).length > 0),
  );
