import { useEffect, useRef, useState } from 'react';
import { hasDraft } from '../../../browser/forms/form-draft.ts';
import { useOwnDraft } from '../../../browser/forms/own-draft.ts';
import { Text } from '../../../browser/language/text.tsx';
import { TextButton } from '../../../ui/text-button.tsx';
import { Tags } from '../devices/tags.part.tsx';
import css from './device-tags.module.css';
import { TagsForm } from './tags-form.part.tsx';

/** The tags of a device, and a form that changes them. */
export function DeviceTags({ id, tags, changed }: { id: string; tags: readonly string[]; changed: () => void }) {
  const [isOpen, open] = useState(false);
  const draft = useOwnDraft(`tags-${id}`);
  useEffect(() => {
    if (hasDraft(draft)) open(true);
  }, [draft]);
  /** The saved tags, until the page has read them. */
  const [saved, setSaved] = useState<readonly string[]>();
  const line = useRef<HTMLDivElement>(null);
  const wasOpen = useRef(false);
  // The form disappears with the focus in it.
  useEffect(() => {
    if (wasOpen.current && !isOpen) line.current?.querySelector('button')?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each render brings a new array; other content means that the page has read the tags
  useEffect(() => setSaved(undefined), [tags.join()]);
  const shown = saved ?? tags;
  if (isOpen) {
    return (
      <TagsForm
        id={id}
        tags={shown}
        draft={draft}
        close={() => open(false)}
        done={(next) => {
          setSaved(next);
          open(false);
          changed();
        }}
      />
    );
  }
  return (
    <div ref={line} className={css.line}>
      {shown.length > 0 && <Tags tags={shown} />}
      <TextButton onClick={() => open(true)}>
        <Text id={shown.length > 0 ? 'device.tags_edit' : 'device.tags_add'} />
      </TextButton>
    </div>
  );
}
