import type { CompiledMessage } from '@lingui/message-utils/compileMessage';

/** One of the sentences that a message can become, with one branch of each plural and select. */
export interface Variant {
  /** The chosen branches, such as `minutes one`. */
  readonly choices: readonly string[];
  /** The sentence, with placeholders as `{name}` and the number of a plural as `#`. */
  readonly text: string;
}

/** A plural, selectordinal or select of a message, and its branches. */
export interface Choice {
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
