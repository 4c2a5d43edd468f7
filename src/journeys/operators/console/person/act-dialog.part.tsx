import { type FormEvent, useId, useLayoutEffect, useRef, useState } from 'react';
import { Text } from '../../../../browser/language/text.tsx';
import { useTimes } from '../../../../browser/language/times.ts';
import { useRequest } from '../../../../browser/requests/request-status.ts';
import { textLimit } from '../../../../contract/fields/field-sizes.ts';
import type { OperatorRole } from '../../../../contract/operator-roles.ts';
import { Button, SubmitButton } from '../../../../ui/button.tsx';
import { Dialog } from '../../../../ui/dialog.tsx';
import { Notice } from '../../../../ui/feedback/feedback.tsx';
import { Checkbox } from '../../../../ui/fields/choice-fields.tsx';
import { Field, Input, inputProps } from '../../../../ui/fields/field.tsx';
import { Stack } from '../../../../ui/layouts/card.tsx';
import { noteLength } from '../../people.contract.ts';
import { ConsoleFailed } from '../layout/console-failed.part.tsx';
import { saveFile } from '../layout/save-file.part.ts';
import css from './act-dialog.module.css';
import { type ActName, acts, type Person } from './acts.part.ts';

/** An act that an operator has begun. */
export interface BegunAct {
  readonly name: ActName;
  readonly group?: string;
}

interface ActDialogProps {
  person: Pick<Person, 'id' | 'name' | 'email'>;
  act: BegunAct;
  role: OperatorRole;
  /** Begins another act in its place, such as the one that undoes it. */
  begin: (act: BegunAct) => void;
  /** Called once the act is done. */
  done: () => void;
  close: () => void;
}

/** One act: what it will do, to whom, why, and its result. */
export function ActDialog({ person, act: { name, group = '' }, role, begin, done, close }: ActDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const [title, lead] = [useId(), useId()];
  const { label, does, danger, asks, undo, send } = acts[name];
  const [result, setResult] = useState<Awaited<ReturnType<typeof send>>>();
  const request = useRequest(async (signal) => {
    const given = new FormData(form.current ?? undefined);
    const text = (field: string) => String(given.get(field) ?? '').trim();
    const reason = text('reason') || undefined;
    const words = group || text('text');
    const input = { id: person.id, reason, text: words, immediately: given.has('immediately'), signal };
    const sent = await send(input);
    if (sent?.file)
      saveFile(`account-${person.id}.json`, {
        text: JSON.stringify(sent.file, undefined, 2),
        type: 'application/json',
      });
    setResult({ ...sent, group: words });
    done();
  });
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    return () => current?.close();
  }, []);
  const [isEmpty, setEmpty] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const field = form.current?.querySelector<HTMLInputElement>('[name=text]');
    setEmpty(field?.value.trim() === '');
    if (field?.value.trim() === '') field.focus();
    else void request.start();
  };
  const isDone = request.state === 'success';
  const failed = request.error?.fields.find(({ field }) => field === 'group' || field === 'text');
  const refused = isEmpty ? ({ field: 'text', code: 'required' } as const) : failed;
  const input = { id: 'act-text', name: 'text', value: '', error: refused };
  return (
    <Dialog ref={dialog} labelledBy={title} describedBy={lead} cancel={close}>
      <h2 id={title} className={css.title}>
        <Text id={label} />
      </h2>
      <div id={lead} className={css.lead}>
        <p className={css.whom}>
          <bdi>{person.name}</bdi> <bdi dir="ltr">{person.email}</bdi> {group && <bdi>{group}</bdi>}
        </p>
        <p>
          <Text id={does} />
        </p>
      </div>
      {isDone ? (
        <Stack tight>
          <Notice kind="success" role="status">
            <p>
              <Text id="console_act.done" />
            </p>
            {result && <Effect {...result} />}
          </Notice>
          <Button label="console_act.close" onClick={close} />
          {undo && (
            <Button
              label="passkey_offer.undo"
              quiet
              onClick={() => begin({ name: undo, ...(result?.group && { group: result.group }) })}
            />
          )}
        </Stack>
      ) : (
        <form ref={form} onSubmit={submit} method="dialog" noValidate className={css.form}>
          <ConsoleFailed failure={refused ? undefined : request.error} />
          {asks === 'group' && !group && (
            <Field field={input} label="console_act.group">
              <Input {...inputProps(input)} autoComplete="off" spellCheck={false} maxLength={60} />
            </Field>
          )}
          {asks === 'note' && (
            <Field field={input} label="incidents.note">
              <textarea {...inputProps(input)} className={css.note} dir="auto" maxLength={noteLength} />
            </Field>
          )}
          <Field
            field={{ id: 'reason', name: 'reason', value: '', error: undefined }}
            label="console_act.reason"
            optional
          >
            <Input
              {...inputProps({ id: 'reason', name: 'reason', error: undefined })}
              maxLength={textLimit - 1}
              autoComplete="off"
            />
          </Field>
          {asks === 'immediately' && role === 'owner' && (
            <Checkbox
              field={{ id: 'immediately', name: 'immediately', value: false, error: undefined }}
              label="console_act.immediately"
            />
          )}
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
    </Dialog>
  );
}

/** When an act takes effect, if that is later. */
function Effect({ deletedAt, removedAt }: { deletedAt?: string; removedAt?: string }) {
  const { when } = useTimes();
  return (
    <>
      {deletedAt && (
        <p>
          <Text id="account.deletion_date" values={{ date: when(deletedAt) }} dir="auto" />
        </p>
      )}
      {removedAt && (
        <p>
          <Text id="second_step.removal_at" values={{ when: when(removedAt) }} dir="auto" />
        </p>
      )}
    </>
  );
}
