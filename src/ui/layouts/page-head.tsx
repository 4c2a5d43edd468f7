import type { ReactNode } from 'react';
import css from './page-head.module.css';

interface PageHeadProps {
  /** The title. */
  children: ReactNode;
  /** Shown at the end of the title's line. */
  actions?: ReactNode;
  /** Below both, as wide as the page. */
  lead?: ReactNode;
}

/** The title of a page with its main actions, and a line below it. */
export const PageHead = ({ children, actions, lead }: PageHeadProps) => (
  <div className={css.head}>
    {children}
    {lead && <p className={css.lead}>{lead}</p>}
    {actions && <div className={css.actions}>{actions}</div>}
  </div>
);
