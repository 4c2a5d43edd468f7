import { useMemo } from 'react';
import { localeOf } from '../../contract/languages.ts';
import { usePage } from '../navigation/page.tsx';

type Compare = (one: string, other: string) => number;

/** Shared by all components, because making a collator takes milliseconds. */
const compareByLocale = new Map<string, Compare>();

/** Compares names in the order of the page's language, with numbers by their value. */
export function useCollation(): Compare {
  const locale = localeOf(usePage().language);
  const known = compareByLocale.get(locale) ?? new Intl.Collator(locale, { numeric: true }).compare;
  compareByLocale.set(locale, known);
  return known;
}

/** Things in the order of their names. */
export function useSortedByName<Named extends { readonly name: string }>(things: readonly Named[]): readonly Named[] {
  const compare = useCollation();
  return useMemo(() => things.toSorted((one, other) => compare(one.name, other.name)), [things, compare]);
}
