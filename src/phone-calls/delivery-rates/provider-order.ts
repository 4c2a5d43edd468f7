import type { ProviderRate } from '../../store/calls/call-outcomes.ts';

/** Fewer calls than these say nothing of a rate. */
const enough = 10;
/** So much of the calls each provider is asked first for, so that one that is well again is noticed. */
const leastShare = 0.1;
/** What that may take from the best of many providers. */
const mostForOthers = 0.3;

interface OrderingInput {
  /** Of the last hours, to one country. */
  readonly rates: readonly ProviderRate[];
  /** From 0 up to but not including 1. */
  readonly random: () => number;
}

/**
 * In which order providers are asked: by the share of their calls that was confirmed, as the operator named them where too
 * little is known. Every now and then another one comes first.
 */
export function orderProviders<P extends { readonly name: string }>(
  providers: readonly P[],
  { rates, random }: OrderingInput,
): P[] {
  const known = new Map(
    rates
      .filter(({ placed }) => placed >= enough)
      .map(({ provider, placed, confirmed }) => [provider, confirmed / placed]),
  );
  const rateOf = ({ name }: P): number => known.get(name) ?? 0;
  const ranked = providers.filter(({ name }) => known.has(name)).sort((one, other) => rateOf(other) - rateOf(one));
  if (ranked.length === 0) return [...providers];
  // Those of whom too little is known keep the places that the operator gave them.
  const [first, ...others] = providers.map((provider) => (known.has(provider.name) ? ranked.shift() : provider) as P);
  const share = Math.min(leastShare, mostForOthers / others.length);
  const favoured = others[Math.floor(random() / share)];
  return [favoured, first, ...others.filter((other) => other !== favoured)].flatMap((provider) => provider ?? []);
}

/** What went wrong on its way to this phone may go wrong again. */
export const missedProvidersLast = <P extends { readonly name: string }>(
  providers: readonly P[],
  missed: readonly string[],
): P[] => [false, true].flatMap((last) => providers.filter(({ name }) => missed.includes(name) === last));
