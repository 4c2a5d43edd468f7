import { type ReactNode, useEffect, useRef } from 'react';
import type { FormField } from '../../browser/forms/form.ts';
import { Text } from '../../browser/language/text.tsx';
import type { MessageId } from '../../messages/ids.ts';
import { Chevron } from '../icons.tsx';
import css from './fold.module.css';

interface FoldProps {
  label: MessageId;
  /** What is in it. Once one of them is filled in, or is wrong, nobody may overlook it. */
  fields?: readonly FormField<string>[];
  children: ReactNode;
}

/** What few people need, behind a line that says so. It opens without scripts, and whoever closes it has it closed. */
export function Fold({ label, fields = [], children }: FoldProps) {
  const fold = useRef<HTMLDetailsElement>(null);
  const filled = fields.some(({ value }) => value !== '');
  const wrong = fields.some(({ error }) => error);
  useEffect(() => {
    if ((filled || wrong) && fold.current) fold.current.open = true;
  }, [filled, wrong]);
  return (
    <details ref={fold} className={css.fold}>
      <summary className={css.label}>
        <Chevron />
        <Text id={label} />
      </summary>
      <div className={css.inside}>{children}</div>
    </details>
  );
}
