import { days, hours } from '../../contract/durations.ts';
import { deviceLifetime, isKnownDevice } from '../access/devices.ts';
import type { Store } from '../database.ts';
import { limitKey } from '../rate-limit-keys.ts';
import type { RateLimit } from '../rate-limits.ts';
import type { Visitor } from '../visitor.ts';

/** As many times what one source may have sent to an address is sent there at all. */
const sourcesCounted = 4;

/**
 * Codes a day to one address for one source, each of which takes three tries. The codes sent bound the guesses: a
 * correct code always counts, whatever strangers have entered.
 */
const codesADay = 5;

interface EmailRateLimitSubject {
  /** Which mail: one kind uses up nothing of another. */
  readonly kind: 'recovery' | 'code';
  readonly emailHash: string;
  readonly visitor: Visitor;
  /** Mails an hour to one address for one source. */
  readonly most: number;
  /** The browser's own secret, where it has signed in to this account before. */
  readonly knownDevice: string | undefined;
}

/**
 * What may be sent to an address in an hour, of codes also in a day: counted by who asks as well, so that a stranger's requests use up nothing
 * of its owner's, whose known browser waits for nobody else's at all.
 */
export function emailRateLimits({ kind, emailHash, visitor, most, knownDevice }: EmailRateLimitSubject): RateLimit[] {
  const hourly = (limit: number, ...by: string[]): RateLimit => ({
    key: limitKey(kind, emailHash, ...by),
    limit,
    within: hours(1),
  });
  const daily = (limit: number, ...by: string[]): RateLimit[] =>
    kind === 'code' ? [{ key: limitKey('code-day', emailHash, ...by), limit, within: days(1) }] : [];
  if (knownDevice !== undefined) return [hourly(most, knownDevice), ...daily(codesADay * 2, knownDevice)];
  return [
    // mutation: sources-apart
    hourly(most * sourcesCounted),
    hourly(most, visitor.source),
    ...visitor.networks.map(({ name, sources }) => hourly(most * Math.min(sources, 2), name)),
    ...daily(codesADay * sourcesCounted),
    ...daily(codesADay, visitor.source),
    ...visitor.networks.flatMap(({ name, sources }) => daily(codesADay * Math.min(sources, 2), name)),
  ];
}

/** What one source may have sent in an hour, to whichever addresses. */
export const requesterRateLimits = (
  kind: EmailRateLimitSubject['kind'],
  { source, networks }: Visitor,
  most: number,
): RateLimit[] =>
  [{ name: source, sources: 1 }, ...networks].map(({ name, sources }) => ({
    key: limitKey(`${kind}-by`, name),
    limit: most * sources,
    within: hours(1),
  }));

interface Presented {
  /** Hash of the browser's device token, if it has one. */
  readonly deviceHash: string | undefined;
  readonly account: { readonly id: string } | undefined;
  readonly now: number;
}

/** The device's hash where it is known for this account, or undefined. */
export async function knownDeviceOf(store: Store, { deviceHash, account, now }: Presented) {
  if (deviceHash === undefined || account === undefined) return undefined;
  const known = await isKnownDevice(store, {
    tokenHash: deviceHash,
    accountId: account.id,
    since: now - deviceLifetime,
  });
  return known ? deviceHash : undefined;
}
