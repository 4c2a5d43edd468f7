import type { CompiledMessage } from '@lingui/message-utils/compileMessage';
import PO from 'pofile';

/** One text of a catalog, as its PO file has it. */
export interface CatalogEntry {
  readonly id: string;
  /** ICU MessageFormat; empty if it is not translated. */
  readonly text: string;
  /** For the translator: where the text appears, and what a placeholder is. */
  readonly note: string;
  /** Marked as fuzzy or obsolete. */
  readonly unfinished: boolean;
}

/** The texts of one language, in the order of its file. */
export interface Catalog {
  /** From the header of the file. */
  readonly language: string;
  readonly entries: readonly CatalogEntry[];
}

/** Reads the content of a PO file. Throws if a message has two texts, of which a reader takes the last. */
export function readCatalog(content: string): Catalog {
  const second = /^msgstr .*\n(?:".*\n)*(msgstr .*)/m.exec(content)?.[1];
  if (second !== undefined) throw new Error(`a second text of the same message: ${second}`);
  const file = PO.parse(content);
  return {
    language: file.headers.Language ?? '',
    entries: file.items.map((item) => ({
      id: item.msgid,
      text: item.msgstr.join(''),
      note: item.extractedComments.join(' ').trim(),
      unfinished: item.obsolete || item.flags.fuzzy === true,
    })),
  };
}

/** One of the sentences that a message can become, with one branch of each plural and select. */
export interface Variant {
  /** The chosen branches, such as `minutes one`. */
  readonly choices: readonly string[];
  /** The sentence, with placeholders as `{name}` and the number of a plural as `#`. */
  readonly text: string;
}

/** A plural, selectordinal or select of a message, and its branches. */
interface Choice {
  readonly argument: string;
  readonly type: string;
  readonly branches: readonly string[];
}

type Token = CompiledMessage[number];
type Branches = Record<string, CompiledMessage>;

const choiceTypes = ['plural', 'selectordinal', 'select'];

/** The branches of a choice; undefined for a token that is text or a plain placeholder. */
function branchesOf(token: Token): Branches | undefined {
  if (typeof token === 'string' || !choiceTypes.includes(token[1] ?? '')) return undefined;
  return Object.fromEntries(Object.entries(token[2] as Branches).filter(([name]) => name !== 'offset'));
}

/** Every sentence that a message can become. */
export const variantsOf = (message: CompiledMessage): Variant[] =>
  message.reduce<Variant[]>(
    (begun, token) => {
      const ends = variantsOfToken(token);
      return begun.flatMap((start) =>
        ends.map((end) => ({ choices: [...start.choices, ...end.choices], text: start.text + end.text })),
      );
    },
    [{ choices: [], text: '' }],
  );

function variantsOfToken(token: Token): Variant[] {
  if (typeof token === 'string') return [{ choices: [], text: token }];
  const branches = branchesOf(token);
  if (!branches) return [{ choices: [], text: `{${token[0]}}` }];
  return Object.entries(branches).flatMap(([name, branch]) =>
    variantsOf(branch).map(({ choices, text }) => ({ choices: [`${token[0]} ${name}`, ...choices], text })),
  );
}

/** Every choice of a message, including inner ones. */
export const choicesOf = (message: CompiledMessage): Choice[] =>
  message.flatMap((token) => {
    const branches = branchesOf(token);
    if (!branches) return [];
    const [argument, type = ''] = token as [string, string?];
    return [{ argument, type, branches: Object.keys(branches) }, ...Object.values(branches).flatMap(choicesOf)];
  });

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

const pair = /<(\w+)>(.*?)<\/\1>/g;

/** The names of the tags in a text, in alphabetical order, as one string. */
export const tagsOf = (text: string): string =>
  [...text.matchAll(pair)]
    .map((match) => `<${match[1]}>`)
    .sort()
    .join(' ');

/**
 * Checks that a text can be split at its tags as `browser/language/text.tsx` does: pairs that are neither nested nor
 * empty.
 */
export function tagProblems(text: string): string[] {
  const inner = [...text.matchAll(pair)].map((match) => match[2] as string);
  const problems = inner.some((words) => words.trim() === '') ? ['has nothing between two tags'] : [];
  if (/[<>]/.test(inner.join('') + text.replace(pair, '')))
    problems.push('has a "<" or ">" that is not part of a pair of tags');
  return problems;
}

/** The text without tags, but with its placeholders. */
export const withoutTags = (text: string): string => text.replace(/<\/?\w+>/g, '');

/** The text alone: what a reader sees, without placeholders and tags. */
export const wordsOf = (text: string): string => text.replace(/<\/?\w+>|\{\w+\}/g, ' ').trim();

/** The content of `ids.ts`: the type of every message's id, so that a wrong one does not compile. */
export const idsSource = (english: Catalog): string =>
  [
    '// Generated from en.po by `npm run build`: do not edit.',
    '',
    '/** The id of a message. */',
    'export type MessageId =',
    `${english.entries.map(({ id }) => `  | '${id}'`).join('\n')};`,
    '',
  ].join('\n');
