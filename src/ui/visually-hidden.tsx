import type { ReactNode } from 'react';
import { Text } from '../browser/language/text.tsx';
import type { MessageId } from '../messages/ids.ts';
import css from './visually-hidden.module.css';

interface VisuallyHiddenProps {
  /** `status`: screen readers announce changes. */
  role?: 'status';
  text?: MessageId;
  children?: ReactNode;
}

/** For screen readers only. */
export const VisuallyHidden = ({ role, text, children }: VisuallyHiddenProps) => (
  <span role={role} className={css.hidden}>
    {text ? <Text id={text} /> : children}
  </span>
);
