import type { PhoneCallsTable } from '../../../store/calls/phone-calls.ts';
import { findReverseWait } from '../../../store/calls/reverse-waits.ts';
import type { Store } from '../../../store/database.ts';
import type { CallRequest } from './call-rate-limits.ts';

/** Another browser is waiting for a call from the number. */
export class NumberInUse extends Error {}

/** This browser is already waiting for it: with another attempt, or because of a concurrent request. */
export class AlreadyWaiting extends Error {
  readonly wait: PhoneCallsTable;
  constructor(wait: PhoneCallsTable) {
    super('already waiting');
    this.wait = wait;
  }
}

/**
 * A wait belongs to the browser that began it: a call from that phone must not confirm the page of someone who shares
 * the IP address or knows the number. Throws `NumberInUse` or `AlreadyWaiting` while such a call may still arrive.
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
