/** Enough for about a hundred calls, by currency. */
const lowBelow: Readonly<Record<string, number>> = { RUB: 100, RUR: 100, KZT: 500, USD: 5, EUR: 5 };
const lowBelowOtherwise = 10;

/** Classifies a balance as a provider writes it (`84.6 RUB`); undefined if it is sufficient or unreadable. */
export function fundsOf(balance: string): 'empty' | 'low' | undefined {
  const [, amount = '', currency = ''] = /^(-?\d+(?:\.\d+)?)\s*([A-Z]{3})?$/.exec(balance.trim()) ?? [];
  if (amount === '') return undefined;
  if (Number(amount) <= 0) return 'empty';
  return Number(amount) < (lowBelow[currency] ?? lowBelowOtherwise) ? 'low' : undefined;
}
