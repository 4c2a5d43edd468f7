import { useEffect, useId, useRef, useState } from 'react';
import { hasDraft, useOwnDraft } from '../../../browser/forms/draft.ts';
import { type Form, useForm } from '../../../browser/forms/form.ts';
import { Text } from '../../../browser/language/text.tsx';
import { useGo } from '../../../browser/navigation/navigation.tsx';
import { cell } from '../../../browser/platform/storage.ts';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRemoval, sendRequest } from '../../../browser/requests/send-request.ts';
import { tagsIn } from '../../../contract/fields/fields.ts';
import { FormButtons } from '../../../journeys/account/layout/rows.part.tsx';
import type { MessageId } from '../../../messages/ids.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Failed, Notice } from '../../../ui/feedback/feedback.tsx';
import { FormProblems } from '../../../ui/feedback/form-problems.tsx';
import { TextField } from '../../../ui/fields/field.tsx';
import { FormStack } from '../../../ui/layouts/card.tsx';
import { TextButton } from '../../../ui/text-button.tsx';
import { removeComputer } from '../../contract/computers.ts';
import { Tags } from '../devices/device-lines.part.tsx';
import css from './device-actions.module.css';

/** Whether a form is open, as it is with a draft. Once it closes, the first button in `around` gets the focus. */
function useOpening(form: string) {
  const [isOpen, open] = useState(false);
  const draft = useOwnDraft(form);
  useEffect(() => {
    if (hasDraft(draft)) open(true);
  }, [draft]);
  const around = useRef<HTMLDivElement>(null);
  const wasOpen = useRef(false);
  // The form disappears with the focus in it.
  useEffect(() => {
    if (wasOpen.current && !isOpen) around.current?.querySelector('button')?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return { isOpen, open, draft, around };
}

interface FieldFormProps<Name extends string> {
  readonly form: Form<Record<Name, string>>;
  readonly name: Name;
  readonly label: MessageId;
  readonly hint?: MessageId;
  /** Label of the button that submits. */
  readonly button: MessageId;
  readonly close: () => void;
}

/** A form of one field, which gets the focus; Escape closes it. */
function FieldForm<Name extends string>({ form, name, label, hint, button, close }: FieldFormProps<Name>) {
  const around = useRef<HTMLDivElement>(null);
  useEffect(() => around.current?.querySelector('input')?.focus(), []);
  function giveUp(): void {
    form.discard();
    close();
  }
  return (
    <div className={css.form} ref={around} onKeyDown={({ key }) => key === 'Escape' && giveUp()}>
      <FormStack {...form.props}>
        <FormProblems form={form} labels={{ [name]: label } as Record<Name, MessageId>} />
        <TextField field={form.field(name)} label={label} hint={hint && <Text id={hint} />} autoComplete="off" />
        <FormButtons form={form} label={button} cancel={close} />
      </FormStack>
    </div>
  );
}

interface FormProps<Value> {
  readonly id: string;
  readonly value: Value;
  readonly draft: string | undefined;
  readonly close: () => void;
  readonly done: (value: Value) => void;
}

interface DeviceActionsProps {
  readonly id: string;
  readonly name: string;
  readonly renamed: (name: string) => void;
  /** Called when a removal begins, and with false if it fails. */
  readonly removing: (is: boolean) => void;
}

/** Buttons that rename a device or remove it from the account. */
export function DeviceActions({ id, name, renamed, removing }: DeviceActionsProps) {
  const { isOpen, open, draft, around } = useOpening(`name-${id}`);
  const [isDone, setDone] = useState(false);
  function close(isRenamed: boolean): void {
    setDone(isRenamed);
    open(false);
  }
  return (
    <div ref={around} className={css.actions}>
      {isOpen ? (
        <RenameForm
          {...{ id, draft }}
          value={name}
          close={() => close(false)}
          done={(next) => {
            renamed(next);
            close(true);
          }}
        />
      ) : (
        <>
          {isDone && (
            <div className={css.done}>
              <Notice kind="success" role="status" text="account.saved" />
            </div>
          )}
          <Button label="dashboard.rename" quiet narrow onClick={() => open(true)} />
          <RemoveDevice id={id} name={name} removing={removing} />
        </>
      )}
    </div>
  );
}

function RenameForm({ id, value, draft, close, done }: FormProps<string>) {
  const form = useForm({
    contract: () => import('../../contract/computers.ts'),
    schema: ({ renameComputer }) => renameComputer.body,
    initial: { name: value },
    draft,
    async send({ renameComputer }, body, signal) {
      done((await sendRequest(renameComputer, { params: { id }, body, signal })).name);
    },
  });
  return <FieldForm form={form} name="name" label="dashboard.name" button="dashboard.rename" close={close} />;
}

interface DeviceTagsProps {
  readonly id: string;
  readonly tags: readonly string[];
  readonly changed: () => void;
}

/** The tags of a device, and a form that changes them. */
export function DeviceTags({ id, tags, changed }: DeviceTagsProps) {
  const { isOpen, open, draft, around } = useOpening(`tags-${id}`);
  /** The saved tags, until the page has read them. */
  const [saved, setSaved] = useState<readonly string[]>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each render brings a new array; other content means that the page has read the tags
  useEffect(() => setSaved(undefined), [tags.join()]);
  const shown = saved ?? tags;
  return (
    <div ref={around} className={css.line}>
      {isOpen ? (
        <TagsForm
          {...{ id, draft }}
          value={shown}
          close={() => open(false)}
          done={(next) => {
            setSaved(next);
            open(false);
            changed();
          }}
        />
      ) : (
        <>
          {shown.length > 0 && <Tags tags={shown} />}
          <TextButton onClick={() => open(true)} label={shown.length > 0 ? 'device.tags_edit' : 'device.tags_add'} />
        </>
      )}
    </div>
  );
}

function TagsForm({ id, value, draft, close, done }: FormProps<readonly string[]>) {
  const form = useForm({
    contract: () => import('../../contract/computers.ts'),
    schema: ({ tagsForm }) => tagsForm,
    initial: { tags: value.join(', ') },
    draft,
    async send({ setComputerTags }, { tags }, signal) {
      done((await sendRequest(setComputerTags, { params: { id }, body: { tags: tagsIn(tags) }, signal })).tags);
    },
  });
  const words = { label: 'device.tags', hint: 'device.tags_hint', button: 'account.save' } as const;
  return <FieldForm form={form} name="tags" {...words} close={close} />;
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
