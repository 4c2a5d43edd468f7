import { describe, expect, test } from 'vitest';
import { hours, minutes } from '../contract/units.ts';
import { orderProviders } from './delivery-rates.ts';

const named = (...names: readonly string[]) => names.map((name) => ({ name }));
const rate = (provider: string, confirmed: number, placed: number) => ({ provider, confirmed, placed });
const never = () => 0.999;

describe('the order in which we try providers', () => {
  test.each([
    { when: 'no rate is known', order: 'abc', rates: [], asked: 'abc' },
    { when: 'there are too few calls', order: 'ab', rates: [rate('a', 0, 9), rate('b', 9, 9)], asked: 'ab' },
    { when: 'the second has a better rate', order: 'ab', rates: [rate('a', 3, 10), rate('b', 8, 10)], asked: 'ba' },
    { when: 'both rates are equal', order: 'ab', rates: [rate('a', 8, 10), rate('b', 16, 20)], asked: 'ab' },
    {
      when: 'the rate of the one between is unknown, so it keeps its place',
      order: 'abc',
      rates: [rate('a', 1, 10), rate('c', 9, 10)],
      asked: 'cba',
    },
    { when: 'a removed provider had the best rate', order: 'ab', rates: [rate('x', 10, 10)], asked: 'ab' },
  ])('$when: $asked', ({ order, rates, asked: query }) => {
    const ordered = orderProviders(named(...order), { rates, random: never });
    expect(ordered.map(({ name }) => name).join('')).toBe(query);
  });

  test.each([
    { draw: 0.05, asked: 'bac' },
    { draw: 0.15, asked: 'cab' },
    { draw: 0.25, asked: 'abc' },
  ])('a draw of $draw: $asked, of three with equal rates', ({ draw, asked: query }) => {
    const rates = [...'abc'].map((name) => rate(name, 5, 10));
    const ordered = orderProviders(named(...'abc'), { rates, random: () => draw });
    expect(ordered.map(({ name }) => name).join('')).toBe(query);
  });

  test('the order stays fixed until a rate is known', () =>
    expect(orderProviders(named('a', 'b'), { rates: [], random: () => 0 })).toEqual(named('a', 'b')));
});

/** Reproducible random numbers from 0 to 1 (mulberry32). */
function seeded(seed: number) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe('a simulated day of one call a minute', () => {
  const providers = named('first', 'second', 'third');

  /** A provider's share of first attempts between two hours; `arrives` is the chance that its call is confirmed. */
  function simulate(arrives: (provider: string, at: number) => number, seed = 1) {
    const random = seeded(seed);
    const calls: { at: number; provider: string; confirmed: boolean }[] = [];
    for (let at = 0; at < hours(24); at += minutes(1)) {
      const judged = Map.groupBy(
        calls.filter((call) => call.at > at - hours(6) && call.at < at - minutes(5)),
        ({ provider }) => provider,
      );
      const rates = [...judged].map(([provider, of]) =>
        rate(provider, of.filter(({ confirmed }) => confirmed).length, of.length),
      );
      const [{ name: provider } = { name: '' }] = orderProviders(providers, { rates, random });
      calls.push({ at, provider, confirmed: random() < arrives(provider, at) });
    }
    return (provider: string, from: number, until: number) => {
      const within = calls.filter(({ at }) => at >= hours(from) && at < hours(until));
      return within.filter((call) => call.provider === provider).length / within.length;
    };
  }

  test('the best of three soon gets most calls, and the others keep their share', () => {
    const share = simulate((provider) => ({ first: 0.3, second: 0.8, third: 0.5 })[provider] ?? 0);
    expect(share('second', 4, 24)).toBeGreaterThan(0.7);
    for (const provider of ['first', 'third']) expect(share(provider, 4, 24)).toBeGreaterThan(0.05);
  });

  test('a provider that fails loses its calls, and gets them back once it recovers', () => {
    const share = simulate((provider, at) => {
      if (provider !== 'first') return 0.5;
      return at >= hours(4) && at < hours(10) ? 0 : 0.9;
    });
    expect(share('first', 1, 4)).toBeGreaterThan(0.7);
    expect(share('first', 8, 10)).toBeLessThan(0.3);
    expect(share('first', 20, 24)).toBeGreaterThan(0.7);
  });

  test('the same draws produce the same day', () => {
    const arrives = () => 0.6;
    expect(simulate(arrives, 7)('second', 0, 24)).toBe(simulate(arrives, 7)('second', 0, 24));
  });
});
