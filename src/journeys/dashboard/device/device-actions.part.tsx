import { useEffect, useRef, useState } from 'react';
import { useForm } from '../../../browser/forms/form.ts';
import { hasDraft } from '../../../browser/forms/form-draft.ts';
import { useOwnDraft } from '../../../browser/forms/own-draft.ts';
import { Text } from '../../../browser/language/text.tsx';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { Button, SubmitButton } from '../../../ui/button.tsx';
import { FormProblems } from '../../../ui/feedback/form-problems.tsx';
import { Notice } from '../../../ui/feedback/notice.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { FormStack } from '../../../ui/layouts/stack.tsx';
import css from './device-actions.module.css';
import { RemoveDevice } from './remove-device.part.tsx';

const renameButton = 'rename-device';

interface DeviceActionsProps {
  readonly id: string;
  readonly name: string;
  readonly renamed: (name: string) => void;
  /** Called when a removal begins, and with false if it fails. */
  readonly removing: (is: boolean) => void;
}

/** Buttons that rename a device or remove it from the account. */
export function DeviceActions({ id, name, renamed, removing }: DeviceActionsProps) {
  const [state, setState] = useState<'closed' | 'open' | 'done'>('closed');
  const draft = useOwnDraft(`name-${id}`);
  useEffect(() => {
    if (hasDraft(draft)) setState('open');
  }, [draft]);
  const before = useRef(state);
  // The form disappears with the focus in it.
  useEffect(() => {
    if (before.current === 'open' && state !== 'open') document.getElementById(renameButton)?.focus();
    before.current = state;
  }, [state]);
  return (
    <div className={css.actions}>
      {state === 'done' && (
        <div className={css.done}>
          <Notice kind="success" role="status">
            <Text id="account.saved" />
          </Notice>
        </div>
      )}
      {state === 'open' ? (
        <RenameForm
          id={id}
          name={name}
          draft={draft}
          close={() => setState('closed')}
          done={(next) => {
            renamed(next);
            setState('done');
          }}
        />
      ) : (
        <>
          <Button id={renameButton} label="dashboard.rename" quiet narrow onClick={() => setState('open')} />
          <RemoveDevice id={id} name={name} removing={removing} />
        </>
      )}
    </div>
  );
}

interface RenameFormProps {
  readonly id: string;
  readonly name: string;
  readonly draft: string | undefined;
  readonly close: () => void;
  readonly done: (name: string) => void;
}

function RenameForm({ id, name, draft, close, done }: RenameFormProps) {
  const form = useForm({
    contract: () => import('../../../contract/computers/computers.ts'),
    schema: ({ renameComputer }) => renameComputer.body,
    initial: { name },
    draft,
    async send({ renameComputer }, body, signal) {
      const renamed = await sendRequest(renameComputer, { params: { id }, body, signal });
      done(renamed.name);
    },
  });
  const around = useRef<HTMLDivElement>(null);
  useEffect(() => around.current?.querySelector('input')?.focus(), []);
  function giveUp(): void {
    form.discard();
    close();
  }
  return (
    <div className={css.form} ref={around} onKeyDown={({ key }) => key === 'Escape' && giveUp()}>
      <FormStack {...form.props}>
        <FormProblems form={form} labels={{ name: 'dashboard.name' }} />
        <TextField field={form.field('name')} label="dashboard.name" autoComplete="off" />
        <div className={css.buttons}>
          <SubmitButton label="dashboard.rename" busy={form.busy ? 'form.wait' : undefined} retry={form.retry} />
          <Button label="form.cancel" quiet onClick={giveUp} />
        </div>
      </FormStack>
    </div>
  );
}
