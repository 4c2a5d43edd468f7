import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { Text, useText } from '../browser/language/text.tsx';
import { Link } from '../browser/navigation/navigation.tsx';
import type { MessageId } from '../messages/ids.ts';
import css from './button.module.css';
import { Overdue } from './feedback/unanswered.tsx';
import { VisuallyHidden } from './visually-hidden.tsx';

interface Look {
  /** Not what most people want here. */
  quiet?: boolean | undefined;
  /** Only as wide as its words; else as its column. */
  narrow?: boolean | undefined;
  /** Looks like a link: one of several, of which none is what most people want. */
  plain?: boolean | undefined;
}

function look({ quiet, narrow, plain }: Look): string {
  if (plain) return css.plain as string;
  return `${css.button} ${narrow ? '' : css.wide} ${quiet ? css.quiet : ''}`;
}

interface BusyProps {
  label: MessageId;
  /** What it says while it is at work; then it takes no second click, and keeps its place and size. */
  busy?: MessageId | undefined;
  /** Does the same once more, when nothing has answered for long. */
  retry?: (() => void) | undefined;
}

/** Sends the form around it; `data-wait` is what it says of a form that was sent before the page was alive. */
export const SubmitButton = (props: BusyProps) => (
  <BusyButton type="submit" data-wait={useText()('form.wait')} {...props} />
);

type Attributes = ButtonHTMLAttributes<HTMLButtonElement> & { 'data-wait'?: string };

interface ButtonProps extends BusyProps, Look, Pick<Attributes, 'id' | 'onClick' | 'aria-describedby'> {}

/** Does something on the page, and leaves the form around it where it is. */
export const Button = ({ onClick, ...props }: ButtonProps) => (
  <BusyButton type="button" onClick={props.busy ? undefined : onClick} {...props} />
);

function BusyButton({ label, busy, retry, quiet, narrow, plain, ...button }: BusyProps & Look & Attributes) {
  const words = (id: MessageId, shown: boolean): ReactNode => (
    <span className={shown ? css.words : `${css.words} ${css.away}`}>
      <Text id={id} />
    </span>
  );
  return (
    <>
      <button
        {...button}
        className={look({ quiet, narrow, plain })}
        aria-busy={busy ? true : undefined}
        aria-disabled={busy ? true : undefined}
      >
        {words(label, !busy)}
        {busy && words(busy, true)}
      </button>
      <VisuallyHidden role="status">{busy && <Text id={busy} />}</VisuallyHidden>
      <Overdue waiting={busy !== undefined} retry={retry} />
    </>
  );
}

/** Leads to a page, and is what most people want next. */
export const ButtonLink = ({ to, label, ...props }: Look & { to: string; label: MessageId }) => (
  <Link to={to} className={look(props)}>
    <Text id={label} />
  </Link>
);
