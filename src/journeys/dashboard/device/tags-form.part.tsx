import { useEffect, useRef } from 'react';
import { useForm } from '../../../browser/forms/form.ts';
import { Text } from '../../../browser/language/text.tsx';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { tagsIn } from '../../../contract/fields/tags-in.ts';
import { FormProblems } from '../../../ui/feedback/form-problems.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { FormStack } from '../../../ui/layouts/stack.tsx';
import { FormButtons } from '../../account/layout/form-buttons.part.tsx';
import css from './tags-form.module.css';

interface TagsFormProps {
  readonly id: string;
  readonly tags: readonly string[];
  readonly draft: string | undefined;
  readonly close: () => void;
  readonly done: (tags: readonly string[]) => void;
}

/** A line with the tags of a device, to change them. */
export function TagsForm({ id, tags, draft, close, done }: TagsFormProps) {
  const form = useForm({
    contract: () => import('../../../contract/computers/computers.ts'),
    schema: ({ tagsForm }) => tagsForm,
    initial: { tags: tags.join(', ') },
    draft,
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
  function giveUp(): void {
    form.discard();
    close();
  }
  return (
    <div className={css.form} ref={around} onKeyDown={({ key }) => key === 'Escape' && giveUp()}>
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
