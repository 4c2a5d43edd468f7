import type { CallWay, ConfirmationWay } from '../../../contract/call-ways.ts';
import type { LanguageCode } from '../../../contract/languages.ts';
import { offeredWays } from '../../../phone-calls/confirmation-ways.ts';
import type { Service } from '../../../server/service.ts';
import { findReverseWait } from '../../../store/calls/reverse-waits.ts';
import { budgetFreeAt } from './call-budget.ts';
import { type CallRequest, callFreeAt } from './call-rate-limits.ts';

interface RemainingWaysQuery extends Omit<CallRequest, 'way'> {
  readonly locale: LanguageCode;
}

/** The ways available to the user now, in the operator's order. Counts nothing. */
export async function waysLeft(
  service: Service,
  { besides, ...request }: RemainingWaysQuery & { readonly besides: readonly CallWay[] },
): Promise<ConfirmationWay[]> {
  const left: ConfirmationWay[] = [];
  for (const way of offeredWays(service.config, service.calls.ways)) {
    if (way === 'mail' || (!besides.includes(way) && (await mayAskFor(service, { ...request, way })))) left.push(way);
  }
  return left;
}

async function mayAskFor(service: Service, request: RemainingWaysQuery & { readonly way: CallWay }): Promise<boolean> {
  const { way, phone, browser } = request;
  const now = service.now();
  if (service.calls.whoGoes(way, request).length === 0) return false;
  if (way === 'reverse') {
    const wait = await findReverseWait(service.store, { phone, now });
    if (wait) return wait.browser === browser;
  }
  return (await callFreeAt(service, request)) <= now && (await budgetFreeAt(service, request)) <= now;
}
