import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { Text, useText } from '../browser/language/text.tsx';
import { Link } from '../browser/navigation/navigation.tsx';
import { useCell } from '../browser/platform/storage.ts';
import { solving } from '../browser/proof-of-work/solve-for.ts';
import type { MessageId } from '../messages/ids.ts';
import css from './button.module.css';
import { Notice, Overdue } from './feedback/feedback.tsx';
import { textButton } from './text-button.tsx';
import { VisuallyHidden } from './visually-hidden.tsx';

interface Look {
  /** A secondary action. */
  quiet?: boolean | undefined;
  /** The button is as wide as its text, not its column. */
  narrow?: boolean | undefined;
  /** Destroys something. */
  danger?: boolean | undefined;
  /** Looks like a link: one of several equal secondary actions. */
  plain?: boolean | undefined;
}

function look({ quiet, narrow, danger, plain }: Look): string {
  if (plain) return `${textButton} ${css.plain}`;
  return `${css.button} ${narrow ? '' : css.wide} ${quiet ? css.quiet : ''} ${danger ? css.danger : ''}`;
}

interface BusyProps {
  label: MessageId;
  /** Its label while busy; a busy button ignores clicks and keeps its position and size. */
  busy?: MessageId | undefined;
  /** Repeats the action if the response is overdue. */
  retry?: (() => void) | undefined;
}

/**
 * Submits the form around it. While `early.ts` holds a form submitted before hydration, `data-wait` is its label, and
 * `data-retry` if hydration is late.
 */
export function SubmitButton(props: BusyProps & Pick<Look, 'quiet' | 'narrow' | 'danger'>) {
  const text = useText();
  return <BusyButton type="submit" data-wait={text('form.wait')} data-retry={text('form.retry')} {...props} />;
}

interface Attributes extends ButtonHTMLAttributes<HTMLButtonElement> {
  'data-wait'?: string;
  'data-retry'?: string;
  'data-opens'?: string;
}

interface ButtonProps extends BusyProps, Look, Pick<Attributes, 'id' | 'onClick' | 'aria-describedby' | 'data-opens'> {
  /** What it sends, instead of `busy`, `onClick` and `retry`. */
  request?: { readonly state: string; start(): Promise<unknown>; restart(): void };
}

/** A button that does not submit the form around it. */
export function Button({ request, ...given }: ButtonProps) {
  const { onClick, ...props } = request
    ? {
        ...given,
        busy: request.state === 'pending' ? ('form.wait' as const) : undefined,
        onClick: () => void request.start(),
        retry: request.restart,
      }
    : given;
  return <BusyButton type="button" onClick={props.busy ? undefined : onClick} {...props} />;
}

function BusyButton({ label, busy, retry, quiet, narrow, danger, plain, ...button }: BusyProps & Look & Attributes) {
  const words = (id: MessageId, shown: boolean): ReactNode => (
    <span className={shown ? css.words : `${css.words} ${css.away}`}>
      <Text id={id} />
    </span>
  );
  const isSolving = useCell(solving) && busy !== undefined;
  return (
    <>
      <button
        {...button}
        className={look({ quiet, narrow, danger, plain })}
        aria-busy={busy ? true : undefined}
        aria-disabled={busy ? true : undefined}
      >
        {words(label, !busy)}
        {busy && words(busy, true)}
      </button>
      <VisuallyHidden role="status">{busy && <Text id={isSolving ? 'form.solving' : busy} />}</VisuallyHidden>
      {isSolving && <Notice kind="info" text="form.solving" />}
      <Overdue waiting={busy !== undefined} retry={retry} />
    </>
  );
}

export const ButtonLink = ({ to, label, ...props }: Look & { to: string; label: MessageId }) => (
  <Link to={to} className={look(props)} text={label} />
);

/** Ignores the second click of a double click: by then, the button does the opposite, or that of another line is there. */
export const singleClick =
  (act: () => void) =>
  ({ detail }: { detail: number }): void => {
    if (detail < 2) act();
  };
