import { type CallWay, type ConfirmationWay, confirmationWays } from '../contract/call-ways.ts';

interface WayPreferences {
  /** The operator's order; without it, that of the contract. */
  readonly CONFIRMATION_WAYS?: readonly ConfirmationWay[] | undefined;
  readonly PHONE_CONFIRMATION_BY_MAIL: 'on' | 'off';
}

/**
 * The ways to confirm a phone that a visitor is led along: in the operator's order, as far as some provider goes them. The
 * link by mail comes last where the operator does not say.
 */
export function offeredWays(wishes: WayPreferences, possible: readonly CallWay[]): ConfirmationWay[] {
  const byMail = wishes.PHONE_CONFIRMATION_BY_MAIL === 'on';
  const wanted = wishes.CONFIRMATION_WAYS ?? confirmationWays;
  return [...new Set([...wanted, 'mail' as const])].filter((way) => (way === 'mail' ? byMail : possible.includes(way)));
}
