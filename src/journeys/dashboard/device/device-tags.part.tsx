import { useEffect, useRef, useState } from 'react';
import { useForm } from '../../../browser/forms/form.ts';
import { Text } from '../../../browser/language/text.tsx';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { tagsIn } from '../../../contract/fields/tags-in.ts';
import { FormProblems } from '../../../ui/feedback/form-problems.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { FormStack } from '../../../ui/layouts/stack.tsx';
import { TextButton } from '../../../ui/text-button.tsx';
import { FormButtons } from '../../account/layout/form-buttons.part.tsx';
import { Tags } from '../devices/tags.part.tsx';
import css from './device-tags.module.css';

interface DeviceTagsProps {
  readonly id: string;
  readonly tags: readonly string[];
  readonly changed: () => void;
}

/** The tags of a device, and a form that changes them. */
export function DeviceTags({ id, tags, changed }: DeviceTagsProps) {
  const [isOpen, setOpen] = useState(false);
  /** The saved tags, until the page has read them. */
  const [saved, setSaved] = useState<readonly string[]>();
  const line = useRef<HTMLDivElement>(null);
  const wasOpen = useRef(false);
  // The form disappears with the focus in it.
  useEffect(() => {
    if (wasOpen.current && !isOpen) line.current?.querySelector('button')?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the page has read the device again
  useEffect(() => setSaved(undefined), [tags.join()]);
  const shown = saved ?? tags;
  if (isOpen) {
    return (
      <TagsForm
        id={id}
        tags={shown}
        close={() => setOpen(false)}
        done={(next) => {
          setSaved(next);
          setOpen(false);
          changed();
        }}
      />
    );
  }
  return (
    <div ref={line} className={css.line}>
      {shown.length > 0 && <Tags tags={shown} />}
      <TextButton onClick={() => setOpen(true)}>
        <Text id={shown.length > 0 ? 'device.tags_edit' : 'device.tags_add'} />
      </TextButton>
    </div>
  );
}

interface TagsFormProps {
  readonly id: string;
  readonly tags: readonly string[];
  readonly close: () => void;
  readonly done: (tags: readonly string[]) => void;
}

function TagsForm({ id, tags, close, done }: TagsFormProps) {
  const form = useForm({
    contract: () => import('../../../contract/computers.ts'),
    schema: ({ tagsForm }) => tagsForm,
    initial: { tags: tags.join(', ') },
    async send({ setComputerTags }, { tags: text }, signal) {
      const { tags: next } = await sendRequest(setComputerTags, {
        params: { id },
        body: { tags: tagsIn(text) },
        signal,
      });
      done(next);
    },
  });
  const around = useRef<HTMLDivElement>(null);
  useEffect(() => around.current?.querySelector('input')?.focus(), []);
  return (
    <div className={css.form} ref={around} onKeyDown={({ key }) => key === 'Escape' && close()}>
      <FormStack {...form.props}>
        <FormProblems form={form} labels={{ tags: 'device.tags' }} />
        <TextField
          field={form.field('tags')}
          label="device.tags"
          hint={<Text id="device.tags_hint" />}
          autoComplete="off"
        />
        <FormButtons form={form} label="account.save" cancel={close} />
      </FormStack>
    </div>
  );
}
