import type { ReactNode } from 'react';
import css from './panel.module.css';

/** The columns of a frame with a panel. */
export const withPanel = css.columns as string;

interface PanelProps {
  picture: ReactNode;
  /** A sentence below it. */
  children?: ReactNode;
}

/** Decoration beside a form, on wide screens. */
export const Panel = ({ picture, children }: PanelProps) => (
  <aside className={css.panel}>
    <div className={css.quiet}>
      {picture}
      {children && <div className={css.words}>{children}</div>}
    </div>
  </aside>
);
