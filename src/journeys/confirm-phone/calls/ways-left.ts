import type { CallWay, ConfirmationWay } from '../../../contract/call-ways.ts';
import type { LanguageCode } from '../../../contract/languages.ts';
import { offeredWays } from '../../../phone-calls/confirmation-ways.ts';
import type { Service } from '../../../server/foundation.ts';
import { findReverseWait } from '../../../store/calls/reverse-waits.ts';
import { budgetFreeAt } from './call-budget.ts';
import { type CallRequest, callFreeAt } from './call-limits.ts';

interface Wish extends Omit<CallRequest, 'way'> {
  readonly locale: LanguageCode;
}

/** The methods that the same person may ask for at once, in the operator's order. Counts nothing. */
export async function waysLeft(
  service: Service,
  { besides, ...wish }: Wish & { readonly besides: readonly CallWay[] },
): Promise<ConfirmationWay[]> {
  const left: ConfirmationWay[] = [];
  for (const way of offeredWays(service.config, service.calls.ways)) {
    if (way === 'mail' || (!besides.includes(way) && (await mayAskFor(service, { ...wish, way })))) left.push(way);
  }
  return left;
}

async function mayAskFor(service: Service, wish: Wish & { readonly way: CallWay }): Promise<boolean> {
  const { way, phone, browser } = wish;
  const now = service.now();
  if (service.calls.whoGoes(way, wish).length === 0) return false;
  if (way === 'reverse') {
    const wait = await findReverseWait(service.store, { phone, now });
    if (wait) return wait.browser === browser;
  }
  return (await callFreeAt(service, wish)) <= now && (await budgetFreeAt(service, wish)) <= now;
}
