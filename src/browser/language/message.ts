import type { CompiledMessage } from '@lingui/message-utils/compileMessage';

/** Compiled messages, by id. */
export type Messages = Readonly<Record<string, CompiledMessage>>;
export type Values = Readonly<Record<string, string | number>>;

type Cases = Readonly<Record<string, CompiledMessage>> & { readonly offset?: number };

interface FormatContext {
  readonly values: Values;
  /** BCP 47, for numbers and plural forms. */
  readonly locale: string;
  /** The value of `#` inside a plural form. */
  readonly number?: string;
}

/**
 * Formats a message compiled by Lingui. Lingui's own runtime has 2 kB of other features that our pages do not need;
 * `message.test.ts` compares the two for every text.
 */
export function writeMessage(message: CompiledMessage, writing: FormatContext): string {
  const written = message.map((token) => {
    if (typeof token === 'string') return token === '#' ? (writing.number ?? token) : token;
    const [name, type, cases] = token;
    if (type !== undefined) return writeCase(cases as Cases, { name, type, writing });
    return writing.values[name] ?? '';
  });
  return written.join('');
}

/** Formats one of several cases, selected by a number (`plural`) or a word (`select`). */
function writeCase(
  cases: Cases,
  { name, type, writing }: { name: string; type: string; writing: FormatContext },
): string {
  const { values, locale } = writing;
  const value = values[name] ?? '';
  const count = Number(value) - (cases.offset ?? 0);
  const form = type === 'plural' ? new Intl.PluralRules(locale).select(count) : value;
  const chosen = cases[value] ?? cases[form] ?? cases.other ?? [];
  return writeMessage(chosen, { ...writing, number: new Intl.NumberFormat(locale).format(count) });
}
