import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { Text } from '../browser/language/text.tsx';
import type { MessageId } from '../messages/ids.ts';
import css from './button.module.css';
import frame from './layouts/frame.module.css';

interface ButtonProps {
  label: MessageId;
  /** What it says while it is at work; then it takes no second click, and keeps its place and size. */
  busy?: MessageId | undefined;
}

/** Sends the form around it. */
export const SubmitButton = (props: ButtonProps) => <BusyButton type="submit" {...props} />;

interface ActionButtonProps extends ButtonProps, Pick<Button, 'id' | 'onClick' | 'aria-describedby'> {
  /** Not what most people want here. */
  quiet?: boolean;
}

/** Does something on the page, and leaves the form around it where it is. */
export const ActionButton = ({ quiet = false, onClick, ...props }: ActionButtonProps) => (
  <BusyButton type="button" className={quiet ? css.quiet : ''} onClick={props.busy ? undefined : onClick} {...props} />
);

type Button = ButtonHTMLAttributes<HTMLButtonElement>;

function BusyButton({ label, busy, className = '', ...button }: ButtonProps & Button) {
  const words = (id: MessageId, shown: boolean): ReactNode => (
    <span className={shown ? css.words : `${css.words} ${css.away}`}>
      <Text id={id} />
    </span>
  );
  return (
    <>
      <button
        {...button}
        className={`${css.button} ${css.wide} ${className}`}
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
