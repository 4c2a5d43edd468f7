import type { Choice, Variant } from './variants.ts';

interface Compared {
  readonly choices: readonly Choice[];
  readonly english: readonly Choice[];
}

const rulesOf = (tag: string, type: string): Intl.PluralRules =>
  new Intl.PluralRules(tag, { type: type === 'selectordinal' ? 'ordinal' : 'cardinal' });

const exact = /^\d+$/;
const named = (branches: readonly string[]) => branches.filter((branch) => !exact.test(branch)).sort();

/** Checks that a message has exactly the plural forms of its language; a select must have the English branches. */
export function choiceProblems(tag: string, { choices, english }: Compared): string[] {
  return choices.flatMap(({ argument, type, branches }) => {
    const needed =
      type === 'select'
        ? (english.find((choice) => choice.argument === argument && choice.type === type)?.branches ?? branches)
        : rulesOf(tag, type).resolvedOptions().pluralCategories;
    const wanted = [...needed].sort().join(' ');
    const found = named(branches).join(' ');
    return wanted === found
      ? []
      : [`{${argument}, ${type}} has the forms "${found}", but the language needs "${wanted}"`];
  });
}

const small = Array.from({ length: 1001 }, (_, number) => number);

/** Forms that cover several numbers must contain the number: `one` is 1, 21, 31, … in Russian, and 0 or 1 in French. */
export function unsaidNumberProblems(tag: string, variants: readonly Variant[]): string[] {
  const numbersOf = (form: string) => small.filter((number) => rulesOf(tag, 'plural').select(number) === form).length;
  const saysNumber = ({ text }: Variant) => text.includes('#');
  if (!variants.some(saysNumber)) return [];
  return variants
    .filter((variant) => !saysNumber(variant))
    .flatMap(({ choices }) => choices)
    .map((choice) => choice.split(' ')[1] as string)
    .filter((form) => !exact.test(form) && numbersOf(form) !== 1)
    .map((form) => `the form "${form}" covers several numbers but does not contain "#"`);
}
