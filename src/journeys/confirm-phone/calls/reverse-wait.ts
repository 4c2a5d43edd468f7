import type { PhoneCallsTable } from '../../../store/calls/phone-calls.ts';
import { findReverseWait } from '../../../store/calls/reverse-waits.ts';
import type { Store } from '../../../store/database.ts';
import type { CallRequest } from './call-rate-limits.ts';

/** Another browser waits for a call from the number. */
export class NumberInUse extends Error {}

/** This browser waits for it already: with another attempt, or because a request came at the same time. */
export class AlreadyWaiting extends Error {
  readonly wait: PhoneCallsTable;
  constructor(wait: PhoneCallsTable) {
    super('already waiting');
    this.wait = wait;
  }
}

/**
 * A wait belongs to the browser that began it: a call from that phone must not confirm the page of anybody who shares its address
 * or knows the number. Throws while such a call may still come.
 */
export async function requireNoOtherWait(
  store: Store,
  { phone, way, browser, now }: Pick<CallRequest, 'phone' | 'way' | 'browser'> & { now: number },
): Promise<void> {
  if (way !== 'reverse') return;
  const wait = await findReverseWait(store, { phone, now });
  if (!wait) return;
  if (wait.browser !== browser) throw new NumberInUse();
  if (wait.expires_at > now && wait.number !== null) throw new AlreadyWaiting(wait);
}
