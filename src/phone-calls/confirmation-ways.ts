import { type CallWay, type ConfirmationWay, confirmationWays } from '../contract/call-ways.ts';

interface WayPreferences {
  /** The operator's order; defaults to that of the contract. */
  readonly CONFIRMATION_WAYS?: readonly ConfirmationWay[] | undefined;
  readonly PHONE_CONFIRMATION_BY_MAIL: 'on' | 'off';
}

/**
 * The confirmation ways that we offer to visitors: in the operator's order, limited to ways that a provider supports.
 * The emailed link comes last unless the operator places it elsewhere.
 */
export function offeredWays(wishes: WayPreferences, possible: readonly CallWay[]): ConfirmationWay[] {
  const byMail = wishes.PHONE_CONFIRMATION_BY_MAIL === 'on';
  const wanted = wishes.CONFIRMATION_WAYS ?? confirmationWays;
  return [...new Set([...wanted, 'mail' as const])].filter((way) => (way === 'mail' ? byMail : possible.includes(way)));
}
