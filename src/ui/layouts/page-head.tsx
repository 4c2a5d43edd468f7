import type { ReactNode } from 'react';
import css from './page-head.module.css';

/** The title of a page, with its main actions at the end of the line. */
export const PageHead = ({ children, actions }: { children: ReactNode; actions?: ReactNode }) => (
  <div className={css.head}>
    {children}
    {actions && <div className={css.actions}>{actions}</div>}
  </div>
);
