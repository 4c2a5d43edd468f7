import type { ReactNode } from 'react';
import css from './text-on-page.module.css';

interface VisuallyHiddenProps {
  /** `status`: screen readers announce changes. */
  role?: 'status';
  children: ReactNode;
}

/** For screen readers only. */
export const VisuallyHidden = ({ role, children }: VisuallyHiddenProps) => (
  <span role={role} className={css.hidden}>
    {children}
  </span>
);
