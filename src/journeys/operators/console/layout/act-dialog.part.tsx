import { type FormEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import { Paragraph, Text } from '../../../../browser/language/text.tsx';
import { RequestFailure, useRequest } from '../../../../browser/requests/request-status.ts';
import type { FieldFailure } from '../../../../contract/failures.ts';
import { textLimit } from '../../../../contract/fields/field-sizes.ts';
import type { MessageId } from '../../../../messages/ids.ts';
import { Button, SubmitButton } from '../../../../ui/button.tsx';
import { Command } from '../../../../ui/command.tsx';
import { Dialog } from '../../../../ui/dialog.tsx';
import { Notice } from '../../../../ui/feedback/feedback.tsx';
import { Field, type FieldFrame, Input, inputProps } from '../../../../ui/fields/field.tsx';
import { Stack } from '../../../../ui/layouts/card.tsx';
import css from './act-dialog.module.css';
import { ConsoleFailed } from './console-page.part.tsx';

/** A field of an act, for its component. */
export type FieldOf = (name: string) => { id: string; name: string; value: string; error: FieldFailure | undefined };

/** How an act is sent: with a key, so that it is done once even if its response is lost and it is sent again. */
export interface Sending {
  readonly signal: AbortSignal;
  readonly idempotencyKey: string;
}

/** Undoes an act, which `says` then what it did. */
interface Undo {
  readonly send: (sending: Sending) => Promise<void>;
  readonly says: MessageId;
}

interface ConsoleDialogProps {
  label: MessageId;
  does: MessageId;
  /** To whom, or to what. */
  whom?: ReactNode;
  close: () => void;
}

/** What an act is, what it does and to whom; and its form, or what it shows. */
export function ConsoleDialog({ label, does, whom, close, children }: ConsoleDialogProps & { children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [title, lead] = [useId(), useId()];
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    return () => current?.close();
  }, []);
  return (
    <Dialog ref={dialog} labelledBy={title} describedBy={lead} cancel={close}>
      <h2 id={title} className={css.title}>
        <Text id={label} />
      </h2>
      <div id={lead} className={css.lead}>
        {whom && <p className={css.whom}>{whom}</p>}
        <Paragraph id={does} />
      </div>
      {children}
    </Dialog>
  );
}

interface ActDialogProps extends ConsoleDialogProps {
  danger?: boolean | undefined;
  /** Names of the fields that must not be empty. */
  required?: readonly string[];
  /** Further fields. */
  fields?: (field: FieldOf) => ReactNode;
  /** Sends what was typed; returns what the result says besides that it is done. */
  send: (typed: (name: string) => string, sending: Sending) => Promise<ReactNode>;
  undo?: Undo | undefined;
}

const newKey = () => crypto.getRandomValues(new Uint32Array(4)).join('-');

/** One act: what it will do, to whom, why, and its result. What was typed stays until it succeeds. */
export function ActDialog({ danger, required = [], fields, send, undo, ...about }: ActDialogProps) {
  const { label, close } = about;
  const form = useRef<HTMLFormElement>(null);
  const [result, setResult] = useState<ReactNode>();
  const [empty, setEmpty] = useState<readonly string[]>([]);
  const [isExplained, setExplained] = useState(false);
  const typed = (name: string) => String(new FormData(form.current ?? undefined).get(name) ?? '').trim();
  const [idempotencyKey, renewKey] = useState(newKey);
  const [undoKey] = useState(newKey);
  const undoing = useRequest(async (signal) => undo?.send({ signal, idempotencyKey: undoKey }));
  const isUndone = undoing.state === 'success';
  const request = useRequest(async (signal) => {
    try {
      setResult(await send(typed, { signal, idempotencyKey }));
    } catch (failure) {
      // The request was answered, though not as the operator wants: trying again is another request.
      if (failure instanceof RequestFailure && failure.status === 0) renewKey(newKey);
      throw failure;
    }
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    const missing = required.filter((name) => typed(name) === '');
    setEmpty(missing);
    if (missing[0]) form.current?.querySelector<HTMLElement>(`[name="${missing[0]}"]`)?.focus();
    else void request.start();
  }
  const refused = request.error?.fields ?? [];
  // A long form hides the field that was refused.
  useLayoutEffect(() => {
    setExplained(request.error !== undefined && form.current?.querySelector('[id$="-error"]') !== null);
    form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [request.error]);
  // An entry of a list, such as `groups.1`, is refused below the field with the list.
  const errorOf = (name: string): FieldFailure | undefined =>
    empty.includes(name)
      ? { field: name, code: 'required' }
      : refused.find(({ field }) => field.split('.', 1)[0] === name);
  const field: FieldOf = (name) => ({ id: `act-${name}`, name, value: '', error: errorOf(name) });
  return (
    <ConsoleDialog {...about}>
      {request.state === 'success' ? (
        <Stack tight>
          <ConsoleFailed failure={undoing.error} />
          <Notice kind="success" role="status">
            {undo && isUndone && <Paragraph id={undo.says} />}
            <Paragraph id="console_act.done" />
            {!isUndone && result}
          </Notice>
          <Button label="console_act.close" onClick={close} />
          {undo && !isUndone && <Button label="passkey_offer.undo" quiet request={undoing} />}
        </Stack>
      ) : (
        <form
          ref={form}
          onSubmit={submit}
          onInput={() => renewKey(newKey)}
          method="dialog"
          noValidate
          className={css.form}
        >
          <ConsoleFailed failure={isExplained ? undefined : request.error} />
          {fields?.(field)}
          <Field field={field('reason')} label="console_act.reason" optional>
            <Input {...inputProps(field('reason'))} maxLength={textLimit - 1} autoComplete="off" />
          </Field>
          <Stack tight>
            <SubmitButton
              label={label}
              {...(danger && { danger })}
              busy={request.state === 'pending' ? 'form.wait' : undefined}
              retry={request.restart}
            />
            <Button label="form.cancel" quiet onClick={close} />
          </Stack>
        </form>
      )}
    </ConsoleDialog>
  );
}

/** A secret or a link in the result of an act, to copy. */
export const ShownOnce = ({ secret }: { secret: string }) => (
  <>
    <Paragraph id="console_operators.once" />
    <Command command={secret} />
  </>
);

interface LinesFieldProps extends Pick<FieldFrame, 'label' | 'optional' | 'hint'> {
  field: ReturnType<FieldOf>;
  max?: number;
  dir?: 'auto' | 'ltr';
}

/** A field for several lines. */
export const LinesField = ({ field, max, dir = 'auto', ...frame }: LinesFieldProps) => (
  <Field field={field} {...frame}>
    <textarea
      {...inputProps(field, frame.hint)}
      className={css.lines}
      dir={dir}
      maxLength={max}
      defaultValue={field.value}
      spellCheck={dir === 'auto'}
    />
  </Field>
);
