import { type ReactNode, useEffect, useRef } from 'react';
import { Text } from '../../browser/language/text.tsx';
import type { MessageId } from '../../messages/ids.ts';
import { Chevron } from '../icons.tsx';
import css from './fold.module.css';

interface FoldProps {
  label: MessageId;
  /** Something in it is filled in or wrong, so nobody may overlook it. */
  open?: boolean;
  children: ReactNode;
}

/** What few people need, behind a line that says so. It opens without scripts, and whoever closes it has it closed. */
export function Fold({ label, open = false, children }: FoldProps) {
  const fold = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (open && fold.current) fold.current.open = true;
  }, [open]);
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
