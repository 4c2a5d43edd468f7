import { type ReactNode, type Ref, useLayoutEffect, useRef, useState } from 'react';
import type { Values } from '../../../browser/forms/draft.ts';
import type { Form } from '../../../browser/forms/form.ts';
import { Paragraph, Text } from '../../../browser/language/text.tsx';
import { useRequest } from '../../../browser/requests/request-status.ts';
import type { MessageId } from '../../../messages/ids.ts';
import { Button, SubmitButton } from '../../../ui/button.tsx';
import { Failed, Notice } from '../../../ui/feedback/feedback.tsx';
import css from './rows.module.css';

/** A card of rows, one below the other. */
export const Rows = ({ children }: { children: ReactNode }) => <div className={css.rows}>{children}</div>;

interface RowProps {
  /** Anchor for links to the row. */
  id?: string | undefined;
  ref?: Ref<HTMLElement>;
  label: MessageId;
  /** Shown at the end of the row. */
  action?: ReactNode;
  children: ReactNode;
}

/** A setting: its name, its value, and what the owner can do with it. */
export const Row = ({ id, ref, label, action, children }: RowProps) => (
  <section id={id} ref={ref} className={css.row}>
    <h2 tabIndex={-1} className={css.label}>
      <Text id={label} />
    </h2>
    <div className={action ? css.value : `${css.value} ${css.wide}`}>{children}</div>
    {action && <div className={css.action}>{action}</div>}
  </section>
);

/** A muted remark below a row's value. */
export const Remark = ({ text, children }: { text?: MessageId; children?: ReactNode }) => (
  <p className={css.remark}>{text ? <Text id={text} /> : children}</p>
);

/** Whether something is in order, in words. */
export const Standing = ({ good, label }: { good: boolean; label: MessageId }) => (
  <span className={good ? css.good : css.warning}>
    <Text id={label} />
  </span>
);

type FormState = 'closed' | 'open' | 'done';

/** The forms of a page, of which one is open at a time; `begun` is already open, since it has a draft. */
export function useForms<Name extends string>(begun?: Name) {
  /** The form that is open or was submitted last. */
  const [shown, show] = useState<{ name: Name; state: FormState } | undefined>(begun && { name: begun, state: 'open' });
  return {
    shown,
    open: (name: Name) => show({ name, state: 'open' }),
    form: (name: Name) => ({
      state: shown?.name === name ? shown.state : ('closed' as const),
      set: (state: FormState) => show({ name, state }),
    }),
  };
}

interface FormRowProps {
  /** Anchor for links to the row. */
  id?: string;
  label: MessageId;
  /** Label of the button that opens the form. */
  button: MessageId;
  /** The form destroys something. */
  danger?: boolean;
  /** Message once the form was submitted. */
  said?: MessageId;
  state: FormState;
  set: (state: FormState) => void;
  /** The current value. */
  value: ReactNode;
  /** Renders the form, which calls `done` at the end, or `cancel`. */
  children: (done: () => void, cancel: () => void) => ReactNode;
}

/** A setting with a form, which a button opens and Cancel closes again. The focus follows. */
export function FormRow({ id, label, button, danger, said, state, set, value, children }: FormRowProps) {
  const row = useRef<HTMLElement>(null);
  const before = useRef<FormState>('closed');
  // Before `useKeptFocus` elsewhere on the page moves the focus to the heading.
  useLayoutEffect(() => {
    const wasOpen = before.current === 'open';
    before.current = state;
    // The focused element disappeared with the previous state.
    if (document.activeElement !== document.body) return;
    if (state === 'open') firstInput(row.current)?.focus();
    else if (wasOpen) row.current?.querySelector<HTMLElement>('button[data-opens]')?.focus();
  }, [state]);
  if (state === 'open') {
    return (
      <Row id={id} ref={row} label={label}>
        {danger && value}
        {children(
          () => set('done'),
          () => set('closed'),
        )}
      </Row>
    );
  }
  const action = <Button label={button} quiet danger={danger} narrow data-opens="" onClick={() => set('open')} />;
  return (
    <Row id={id} ref={row} label={label} action={action}>
      {value}
      {state === 'done' && said && <Notice kind="success" role="status" text={said} />}
    </Row>
  );
}

function firstInput(row: HTMLElement | null): HTMLElement | undefined {
  const controls = row?.querySelectorAll<HTMLElement>('input, button') ?? [];
  return [...controls].find((one) => one.checkVisibility() && !one.hasAttribute('popovertarget'));
}

interface FormButtonsProps<Fields extends Values> {
  form: Pick<Form<Fields>, 'busy' | 'retry' | 'discard'>;
  label: MessageId;
  /** Submitting destroys something. */
  danger?: boolean;
  cancel: () => void;
}

/**
 * The buttons of a form that was opened: submit, and cancel unless the request is pending. If submitting destroys
 * something, Cancel takes the place of the button that opened the form, so that a double click destroys nothing.
 */
export function FormButtons<Fields extends Values>({ form, label, danger, cancel }: FormButtonsProps<Fields>) {
  function giveUp(): void {
    form.discard();
    cancel();
  }
  const keep = <Button label="account.cancel" quiet narrow onClick={form.busy ? undefined : giveUp} />;
  return (
    <ButtonRow>
      {danger && keep}
      <SubmitButton
        label={label}
        danger={danger}
        narrow
        busy={form.busy ? 'form.wait' : undefined}
        retry={form.retry}
      />
      {!danger && keep}
    </ButtonRow>
  );
}

/** Buttons beside each other, as far as they fit. */
export const ButtonRow = ({ children }: { children: ReactNode }) => <div className={css.buttons}>{children}</div>;

interface ConfirmActionProps {
  /** The consequence of the action. */
  text: MessageId;
  values?: Record<string, string>;
  label: MessageId;
  act: (signal: AbortSignal) => Promise<unknown>;
  done: () => void;
  cancel: () => void;
}

/** Asks before something is removed. Cancel comes first, so that a held Enter removes nothing. */
export function ConfirmAction({ text, values, label, act, done, cancel }: ConfirmActionProps) {
  const acting = useRequest(async (signal) => {
    await act(signal);
    done();
  });
  return (
    <>
      <Paragraph id={text} dir="auto" {...(values && { values })} />
      <Failed failure={acting.error} />
      <ButtonRow>
        <Button label="account.cancel" quiet narrow onClick={acting.state === 'pending' ? undefined : cancel} />
        <Button label={label} danger narrow request={acting} />
      </ButtonRow>
    </>
  );
}
