import { useEffect, useId, useRef, useState } from 'react';
import { hasDraft, useOwnDraft } from '../../../browser/forms/draft.ts';
import { useForm } from '../../../browser/forms/form.ts';
import { Text } from '../../../browser/language/text.tsx';
import { useGo } from '../../../browser/navigation/navigation.tsx';
import { cell } from '../../../browser/platform/storage.ts';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRemoval, sendRequest } from '../../../browser/requests/send-request.ts';
import { Button, SubmitButton } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Failed, Notice } from '../../../ui/feedback/feedback.tsx';
import { FormProblems } from '../../../ui/feedback/form-problems.tsx';
import { TextField } from '../../../ui/fields/field.tsx';
import { FormStack } from '../../../ui/layouts/card.tsx';
import { removeComputer } from '../../contract/computers.ts';
import css from './device-actions.module.css';

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
          <Notice kind="success" role="status" text="account.saved" />
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
    contract: () => import('../../contract/computers.ts'),
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

interface RemoveDeviceProps {
  readonly id: string;
  readonly name: string;
  /** Called when the removal begins, and with false if it fails. */
  readonly removing: (is: boolean) => void;
}

/** A button that removes a device after a question; then the list of devices appears and confirms it. */
function RemoveDevice({ id, name, removing: report }: RemoveDeviceProps) {
  const go = useGo();
  const dialog = useRef<HTMLDialogElement>(null);
  const question = useId();
  const removing = useRequest(
    async (signal) => {
      // Before the page learns from its own requests that the device is gone.
      report(true);
      await sendRemoval(removeComputer, { params: { id }, signal });
      removedDevice.write(name);
      go('/devices/');
    },
    { onError: () => report(false) },
  );
  // The dialog returns the focus to the button that opened it.
  const close = () => dialog.current?.close();
  return (
    <>
      <Button label="dashboard.remove_yes" quiet danger narrow onClick={() => dialog.current?.showModal()} />
      <Dialog ref={dialog} labelledBy={question}>
        <p id={question} className={css.question}>
          <Text id="dashboard.remove_sure" values={{ name }} dir="auto" />
        </p>
        <Failed failure={removing.error} />
        <div className={css.removeDeviceButtons}>
          <Button label="dashboard.remove_no" quiet onClick={close} />
          <Button
            label="dashboard.remove"
            danger
            busy={removing.state === 'pending' ? 'form.wait' : undefined}
            retry={removing.restart}
            onClick={() => void removing.start()}
          />
        </div>
      </Dialog>
    </>
  );
}

/** The name of the device that was removed last, which the list of devices confirms until the user leaves it. */
export const removedDevice = cell<string | undefined>(undefined);
