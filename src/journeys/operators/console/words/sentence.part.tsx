import type { ReactNode } from 'react';
import { Text, useText } from '../../../../browser/language/text.tsx';
import { useTimes } from '../../../../browser/language/times.ts';
import { usePage } from '../../../../browser/navigation/page.tsx';
import type { ConfirmationWay } from '../../../../contract/call-ways.ts';
import type { MessageId } from '../../../../messages/ids.ts';
import { noticeSubjects } from './codes.part.ts';
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

/** How a line stands, which its sign shows by form and color; a note has no sign. */
export type Sign = 'fine' | 'warning' | 'failed' | 'note';

/** Rows of a sheet that begin with a sign. */
export const Signs = ({ children }: { children: ReactNode }) => <ul className={css.signs}>{children}</ul>;

const classes = { fine: css.fine, warning: css.warning, failed: css.failed, note: css.note };

/** A sentence, and a link or a button that continues. */
export const Signed = ({ sign, children }: { sign: Sign; children: ReactNode }) => (
  <li className={classes[sign]}>{children}</li>
);

/** The ways to confirm a number. */
export const wayWords: Readonly<Record<string, MessageId>> = {
  ring: 'console_timeline.ring',
  voice: 'console_timeline.voice',
  reverse: 'console_timeline.reverse',
  whatsapp: 'console_timeline.whatsapp',
  telegram: 'console_timeline.telegram',
  sms: 'console_timeline.sms',
  mail: 'console_timeline.mail',
} satisfies Record<ConfirmationWay, MessageId>;

/** The name of an email in the operator's language; its code if a newer server sent it. */
export function useNoticeName(): (notice: string) => string {
  const t = useText();
  const { settings } = usePage();
  return (notice) => {
    const id = noticeSubjects[notice];
    return id ? t(id, { product: settings.productName, code: '••••••' }) : notice.replaceAll('_', ' ');
  };
}
