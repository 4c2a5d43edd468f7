import type { CallWay } from '../../../contract/call-ways.ts';
import { days, hours, seconds } from '../../../contract/durations.ts';
import type { Store } from '../../../store/database.ts';
import { limitKey } from '../../../store/rate-limit-keys.ts';
import { type RateLimit, rateLimitsFreeAt } from '../../../store/rate-limits.ts';
import type { Owner } from './caller.ts';

/** The pause between two calls of one kind to a number. */
export const callResendPause = seconds(60);

/** Rings or messages of one kind or another that a number gets in an hour. */
const perHour = 3;
/** The same of all accounts together that ask for a number which is not theirs. */
const perHourOfAccounts = 6;
const attemptsPerHour = 10;
/** So that the group's limit never stops it. */
const whatever = 1000;

type Group = 'rings' | 'messages';

/** What disturbs the person, counted apart; with `reverse` they call themselves. */
const groups: Readonly<Record<CallWay, Group | undefined>> = {
  ring: 'rings',
  voice: 'rings',
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

/** Strangers share what a number may get; each account that a browser is known to has its own. */
const laneOf = ({ phone, owner }: Omit<Number, 'way'>): [string, ...string[]] =>
  owner ? [phone, owner.accountId] : [phone];

/** The key under which the group's rings or messages are counted; undefined for what disturbs nobody. */
export function groupKey(number: Number): string | undefined {
  const group = groups[number.way];
  return group && limitKey(`phone-${group}`, ...laneOf(number));
}

/** What one number may get; given back where nobody's phone can ring. */
export async function limitsOfNumber(store: Store, number: Number, now: number): Promise<RateLimit[]> {
  const { way, owner, phone } = number;
  const lane = laneOf(number);
  const method: RateLimit = { key: limitKey('phone-way', ...lane, way), limit: attemptsPerHour, within: hours(1) };
  const limits = [{ key: limitKey('phone-pause', ...lane, way), limit: 1, within: callResendPause }, method];
  const kind = groups[way];
  const key = groupKey(number);
  if (kind === undefined || key === undefined) return limits;
  // Each method works once an hour, whatever the others have used up.
  const isFirst = (await rateLimitsFreeAt(store, [{ ...method, limit: 1 }], now)) <= now;
  const group = { key, limit: isFirst ? whatever : perHour, within: hours(1) };
  if (owner === undefined || owner.hasNumber) return [...limits, group];
  const ofAccounts = { key: limitKey(`phone-accounts-${kind}`, phone), limit: perHourOfAccounts, within: hours(1) };
  return [...limits, group, ofAccounts];
}

/** What is never given back, so that refused calls are no way to go on for ever. */
export const attemptsAt = (number: Number): RateLimit => ({
  key: limitKey('phone-attempts', ...laneOf(number), number.way),
  limit: attemptsPerHour,
  within: hours(1),
});

interface Guessed {
  readonly phone: string;
  /** Who asked for the call (`Visitor.source`). */
  readonly source: string | null;
}

/** Wrong digits of one visitor for a number, across all calls to it, so that asking again is no way to go on guessing. */
export const digitTriesLimit = ({ phone, source }: Guessed): RateLimit => ({
  key: limitKey('phone-tries', phone, source ?? ''),
  limit: 9,
  within: days(1),
});

/** Wrong digits for a number from everywhere: many addresses guess no faster than two visitors. Its account is apart from them. */
export const triesAt = ({ phone, owner }: Omit<Number, 'way'>): RateLimit => ({
  key: limitKey('phone-wrong', ...laneOf(owner?.hasNumber ? { phone, owner } : { phone })),
  limit: 18,
  within: days(1),
});

/** Also of tries that nobody looked at, because the provider does not respond. */
export const statusChecksLimit = (phone: string): RateLimit => ({
  key: limitKey('phone-checks', phone),
  limit: 30,
  within: hours(1),
});
