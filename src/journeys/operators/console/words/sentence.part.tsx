import { Text } from '../../../../browser/language/text.tsx';
import { useTimes } from '../../../../browser/language/times.ts';
import type { MessageId } from '../../../../messages/ids.ts';
import css from './sentence.module.css';

/** Values of a sentence, as the server sends them beside its code. */
export type Params = Readonly<Record<string, string | number | readonly string[]>>;

interface SentenceProps {
  /** Undefined for a code of a newer server. */
  readonly id: MessageId | undefined;
  readonly params: Params;
  /** Values in the operator's language, instead of those of the server. */
  readonly instead?: Readonly<Record<string, string>>;
  /** The sentence in English. */
  readonly text: string;
}

const times = ['at', 'since', 'until'];

/** A sentence of the server in the operator's language, followed by the words of others. */
export function Sentence({ id, params, instead = {}, text }: SentenceProps) {
  const { when } = useTimes();
  if (id === undefined)
    return (
      <span lang="en" dir="ltr">
        {text}
      </span>
    );
  const { words, ...others } = params;
  const values = Object.entries(others).map(([name, value]) => {
    if (times.includes(name)) return [name, when(String(value))];
    return [name, typeof value === 'number' ? value : String(value)];
  });
  return (
    <span>
      <Text id={id} values={{ ...Object.fromEntries(values), ...instead }} dir="auto" />
      {words && (
        <>
          {' '}
          <bdi className={css.words}>{words}</bdi>
        </>
      )}
    </span>
  );
}
