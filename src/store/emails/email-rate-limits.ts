import { days, hours } from '../../contract/units.ts';
import type { RateLimit } from '../rate-limits.ts';
import { limitKey } from '../rate-limits.ts';
import type { Visitor } from '../visitor.ts';

/** The limit of an address for all sources together, as a multiple of that for one source. */
const sourcesCounted = 4;

/**
 * Codes per day to one address for one source, each with three tries. The number of codes limits the guesses: a correct
 * code always works, regardless of what strangers have entered.
 */
const codesADay = 5;

/** The most emails of a kind to one address per hour: requested by one source, and by all sources together. */
export const emailsAnHour = (max: number) => ({ bySource: max, together: max * sourcesCounted });

interface EmailRateLimitSubject {
  /** Kind of email; each kind has its own limits. */
  readonly kind: 'recovery' | 'code';
  readonly emailHash: string;
  readonly visitor: Visitor;
  /** Emails per hour to one address for one source. */
  readonly max: number;
  /** Hash of the browser's device token, if it has signed in to this account before. */
  readonly knownDevice: string | undefined;
}

/**
 * Limits of emails to an address per hour, and of codes also per day. They also count by requester, so that a
 * stranger's requests do not use up the owner's allowance; a known browser has its own.
 */
export function emailRateLimits({ kind, emailHash, visitor, max, knownDevice }: EmailRateLimitSubject): RateLimit[] {
  const hourly = (limit: number, ...by: string[]): RateLimit => ({
    key: limitKey(kind, emailHash, ...by),
    limit,
    within: hours(1),
  });
  const daily = (limit: number, ...by: string[]): RateLimit[] =>
    kind === 'code' ? [{ key: limitKey('code-day', emailHash, ...by), limit, within: days(1) }] : [];
  if (knownDevice !== undefined) return [hourly(max, knownDevice), ...daily(codesADay * 2, knownDevice)];
  return [
    hourly(emailsAnHour(max).together),
    hourly(max, visitor.source),
    ...visitor.networks.map(({ name, sources }) => hourly(max * Math.min(sources, 2), name)),
    ...daily(codesADay * sourcesCounted),
    ...daily(codesADay, visitor.source),
    ...visitor.networks.flatMap(({ name, sources }) => daily(codesADay * Math.min(sources, 2), name)),
  ];
}

/** Limits of emails per hour that one source may request, to all addresses together. */
export const requesterRateLimits = (
  kind: EmailRateLimitSubject['kind'],
  { source, networks }: Visitor,
  max: number,
): RateLimit[] =>
  [{ name: source, sources: 1 }, ...networks].map(({ name, sources }) => ({
    key: limitKey(`${kind}-by`, name),
    limit: max * sources,
    within: hours(1),
  }));
