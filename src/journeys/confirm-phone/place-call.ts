import { randomInt, randomUUID } from 'node:crypto';
import { hours, minutes } from '../../contract/durations.ts';
import type { LanguageCode } from '../../contract/languages.ts';
import { phoneDigits } from '../../contract/limits.ts';
import { readPhoneIn } from '../../contract/phone.ts';
import { type Refusing, refuse } from '../../contract/refuse.ts';
import { isUsableAddress } from '../../outbox/usable-address.ts';
import { isCallable } from '../../phone-calls/callable.ts';
import type { PlacedCall } from '../../phone-calls/calls.ts';
import { CallRefused } from '../../phone-calls/provider.ts';
import { proofOf } from '../../security/phone-proofs.ts';
import { randomSecret } from '../../security/secrets.ts';
import type { Service } from '../../server/foundation.ts';
import { findAccountByEmail } from '../../store/accounts.ts';
import { countMore, uncount } from '../../store/limits.ts';
import { beginCall, callFailed, callWasPlaced, providersMissed } from '../../store/phone-calls.ts';
import type { Visitor } from '../../store/visitor.ts';
import { callResend, costOf, countCall } from './call-limits.ts';
import { requestCall } from './confirm-phone.contract.ts';

const callLifetime = minutes(5);
export interface Wish {
  readonly phone: string;
  readonly locale: LanguageCode;
  readonly way: 'ring' | 'voice';
  readonly visitor: Visitor;
}

export const triesPerCall = 3;
/** What the browser needs in order to wait; durations in seconds. */
export const waitingFor = (call: string, lifetime: number) => ({
  call,
  digits: phoneDigits as 4,
  expires_in: lifetime / 1000,
  resend_in: callResend / 1000,
  attempts_left: triesPerCall,
});

/** The number as E.164; refuses what libphonenumber does not know. */
export function requirePhone(
  endpoint: Refusing<'phone_invalid'>,
  { phone: typed, locale }: Pick<Wish, 'phone' | 'locale'>,
): string {
  const phone = readPhoneIn(typed, locale);
  if (!phone) throw refuse(endpoint, 'phone_invalid');
  return phone;
}

/** Refuses an address that no account can be made with, before anybody is called for it. */
export async function examineAddress(service: Service, email: string): Promise<void> {
  if (!(await isUsableAddress(service, email))) throw refuse(requestCall, 'email_cannot_be_used');
  if (await findAccountByEmail(service.store, email)) throw refuse(requestCall, 'account_exists');
}

/** Has a number called, with the first provider that will. Refuses with `phone_invalid`, `TooManyCalls` or `call_failed`. */
export async function placeCall(service: Service, wish: Wish) {
  const { locale, way, visitor } = wish;
  const phone = requirePhone(requestCall, wish);
  if (!isCallable(phone, service.config.CALL_COUNTRIES)) throw refuse(requestCall, 'phone_invalid');
  const hits = await countCall(service, { phone, way, visitor });
  const now = service.now();
  const id = randomSecret(128);
  // Never 0000, which no provider has a number for.
  const code = String(randomInt(1, 10 ** phoneDigits)).padStart(phoneDigits, '0');
  await service.store.transaction().execute((trx) =>
    beginCall(trx, {
      id,
      phone,
      way,
      proof: null,
      attempts_left: triesPerCall,
      locale,
      source: visitor.source,
      created_at: now,
      expires_at: now + callLifetime,
    }),
  );
  try {
    const missed = await providersMissed(service.store, { phone, since: now - hours(1) });
    const call = { id: randomUUID(), phone, code, locale, ip: visitor.ip };
    const done =
      way === 'ring'
        ? await service.calls.place(call, missed)
        : await service.calls.speak({ ...call, introduction: await service.introduction(locale) }, missed);
    await callWasPlaced(service.store, { id, ...expectedAnswer(service, { id, code, done }) });
    await countRinging(service, phone, done.mayAlsoRing);
  } catch (error) {
    if (!(error instanceof CallRefused)) throw error;
    await callFailed(service.store, id);
    if (error.mayRing === 0) await uncount(service.store, hits);
    else await countRinging(service, phone, error.mayRing - 1);
    throw refuse(requestCall, error.reason === 'number' ? 'phone_invalid' : 'call_failed', { cause: error });
  }
  return waitingFor(id, callLifetime);
}

/** One call was counted when it was asked for; providers that did not answer in time may ring besides. */
function countRinging({ store, config, now }: Service, phone: string, times: number): Promise<void> {
  const keys = costOf(phone, config).map(({ key }) => key);
  return countMore(store, { keys, times, at: now() });
}

function expectedAnswer(service: Service, { id, code, done }: { id: string; code: string; done: PlacedCall }) {
  const { provider, placed } = done;
  if (placed.kind === 'checked') return { provider, proof: null, reference: placed.reference };
  const answer = placed.kind === 'theirs' ? placed.code : code;
  return { provider, proof: proofOf(service.keyring.phone[0] as Buffer, id, answer), reference: null };
}
