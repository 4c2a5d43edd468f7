import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import type { MessageId } from '../../../messages/ids.ts';
import { Button } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/feedback/notice.tsx';
import { Row } from './row.part.tsx';

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
      {state === 'done' && said && (
        <Notice kind="success" role="status">
          <Text id={said} />
        </Notice>
      )}
    </Row>
  );
}

function firstInput(row: HTMLElement | null): HTMLElement | undefined {
  const controls = row?.querySelectorAll<HTMLElement>('input, button') ?? [];
  return [...controls].find((one) => one.checkVisibility() && !one.hasAttribute('popovertarget'));
}
