/** By currency: what is left for about a hundred calls. */
const lowBelow: Readonly<Record<string, number>> = { RUB: 100, RUR: 100, KZT: 500, USD: 5, EUR: 5 };
const lowBelowOtherwise = 10;

/** What a balance, as a provider writes it (`84.6 RUB`), is good for; undefined where nothing is wrong with it. */
export function fundsOf(balance: string): 'empty' | 'low' | undefined {
  const [, amount = '', currency = ''] = /^(-?\d+(?:\.\d+)?)\s*([A-Z]{3})?$/.exec(balance.trim()) ?? [];
  if (amount === '') return undefined;
  if (Number(amount) <= 0) return 'empty';
  return Number(amount) < (lowBelow[currency] ?? lowBelowOtherwise) ? 'low' : undefined;
}
