import type { ProviderRate } from '../../store/calls/call-outcomes.ts';

/** Fewer calls than this are too few to estimate a rate. */
const enough = 10;
/** Share of first attempts that each other provider gets, so that we notice its recovery. */
const leastShare = 0.1;
/** Limit for the shares of all other providers together. */
const mostForOthers = 0.3;

interface OrderingInput {
  /** Rates of the last hours, for one country. */
  readonly rates: readonly ProviderRate[];
  /** From 0 up to but not including 1. */
  readonly random: () => number;
}

/**
 * Orders providers by the share of their calls that was confirmed; providers with too few calls keep the operator's
 * order. Occasionally puts another provider first, to measure it.
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
  // Providers with too few calls keep the place that the operator gave them.
  const [first, ...others] = providers.map((provider) => (known.has(provider.name) ? ranked.shift() : provider) as P);
  const share = Math.min(leastShare, mostForOthers / others.length);
  const favoured = others[Math.floor(random() / share)];
  return [favoured, first, ...others.filter((other) => other !== favoured)].flatMap((provider) => provider ?? []);
}

/** A provider whose call did not reach this phone is likely to fail again. */
export const missedProvidersLast = <P extends { readonly name: string }>(
  providers: readonly P[],
  missed: readonly string[],
): P[] => [false, true].flatMap((last) => providers.filter(({ name }) => missed.includes(name) === last));
