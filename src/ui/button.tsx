import type { ReactNode } from 'react';
import { Text } from '../browser/text.tsx';
import type { MessageId } from '../messages/ids.ts';
import css from './button.module.css';
import frame from './frame.module.css';

interface ButtonProps {
  label: MessageId;
  /** What it says while it is at work; then it takes no second click, and keeps its place and size. */
  busy?: MessageId | undefined;
}

/** Sends the form around it. */
export function SubmitButton({ label, busy }: ButtonProps) {
  const words = (id: MessageId, shown: boolean): ReactNode => (
    <span className={shown ? css.words : `${css.words} ${css.away}`}>
      <Text id={id} />
    </span>
  );
  return (
    <>
      <button
        type="submit"
        className={`${css.button} ${css.wide}`}
        aria-busy={busy ? true : undefined}
        aria-disabled={busy ? true : undefined}
      >
        {words(label, !busy)}
        {busy && words(busy, true)}
      </button>
      <span className={frame.unseen} role="status">
        {busy && <Text id={busy} />}
      </span>
    </>
  );
}
