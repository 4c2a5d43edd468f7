import type { CallWay } from '../../../contract/call-ways.ts';
import { days, hours, seconds } from '../../../contract/durations.ts';
import type { Store } from '../../../store/database.ts';
import { limitKey } from '../../../store/rate-limit-keys.ts';
import { type RateLimit, rateLimitsFreeAt } from '../../../store/rate-limits.ts';
import type { Owner } from './caller.ts';

/** Pause between two calls to a number by the same method. */
export const callResendPause = seconds(60);

/** Rings, and likewise messages, that a number gets in an hour. */
const perHour = 3;
/** The same limit for all accounts together that request calls to a number of someone else. */
const perHourOfAccounts = 6;
const attemptsPerHour = 10;
const unlimited = 1000;

type Group = 'rings' | 'messages';

/** Rings and messages disturb the owner of a number and have separate limits; with `reverse` the user calls. */
const groups: Readonly<Record<CallWay, Group | undefined>> = {
  ring: 'rings',
  voice: 'rings',
  whatsapp: 'messages',
  telegram: 'messages',
  sms: 'messages',
  reverse: undefined,
};

export interface Number {
  /** E.164. */
  readonly phone: string;
  readonly way: CallWay;
  readonly owner?: Owner | undefined;
}

/** Strangers share the limits of a number; each account whose device requests the call has its own. */
const laneOf = ({ phone, owner }: Omit<Number, 'way'>): [string, ...string[]] =>
  owner ? [phone, owner.accountId] : [phone];

/** The key that counts the group's rings or messages; undefined for reverse calls. */
export function groupKey(number: Number): string | undefined {
  const group = groups[number.way];
  return group && limitKey(`phone-${group}`, ...laneOf(number));
}

/** Rate limits of one number; their hits are refunded if no phone can ring. */
export async function limitsOfNumber(store: Store, number: Number, now: number): Promise<RateLimit[]> {
  const { way, owner, phone } = number;
  const lane = laneOf(number);
  const method: RateLimit = { key: limitKey('phone-way', ...lane, way), limit: attemptsPerHour, within: hours(1) };
  const limits = [{ key: limitKey('phone-pause', ...lane, way), limit: 1, within: callResendPause }, method];
  const kind = groups[way];
  const key = groupKey(number);
  if (kind === undefined || key === undefined) return limits;
  // Each way works once an hour, even if other ways have used up the group's limit.
  const isFirst = (await rateLimitsFreeAt(store, [{ ...method, limit: 1 }], now)) <= now;
  const group = { key, limit: isFirst ? unlimited : perHour, within: hours(1) };
  if (owner === undefined || owner.hasNumber) return [...limits, group];
  const ofAccounts = { key: limitKey(`phone-accounts-${kind}`, phone), limit: perHourOfAccounts, within: hours(1) };
  return [...limits, group, ofAccounts];
}

/** Never refunded, so that refused calls do not allow endless attempts. */
export const attemptsAt = (number: Number): RateLimit => ({
  key: limitKey('phone-attempts', ...laneOf(number), number.way),
  limit: attemptsPerHour,
  within: hours(1),
});

interface Guessed {
  readonly phone: string;
  /** Source of the request for the call (`Visitor.source`). */
  readonly source: string | null;
}

/** Wrong digits of one source for a number across all calls, so that a new call does not allow more guesses. */
export const digitTriesLimit = ({ phone, source }: Guessed): RateLimit => ({
  key: limitKey('phone-tries', phone, source ?? ''),
  limit: 9,
  within: days(1),
});

/**
 * Wrong digits for a number from all sources: many addresses guess no faster than two. Its owner has a separate limit.
 */
export const triesAt = ({ phone, owner }: Omit<Number, 'way'>): RateLimit => ({
  key: limitKey('phone-wrong', ...laneOf(owner?.hasNumber ? { phone, owner } : { phone })),
  limit: 18,
  within: days(1),
});

/** Limits checks at the provider, including those that failed because it did not respond. */
export const statusChecksLimit = (phone: string): RateLimit => ({
  key: limitKey('phone-checks', phone),
  limit: 30,
  within: hours(1),
});
