import { type ReactNode, useEffect, useRef } from 'react';
import type { FormField } from '../../browser/forms/form.ts';
import { Text } from '../../browser/language/text.tsx';
import type { MessageId } from '../../messages/ids.ts';
import { Chevron } from '../icons.tsx';
import css from './fold.module.css';

interface FoldProps {
  label: MessageId;
  /** The fields inside. The fold opens once one of them has a value or an error. */
  fields?: readonly FormField<string>[];
  children: ReactNode;
}

/** Hides fields that few users need behind a labeled line. Works without scripts, and stays closed once closed. */
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
