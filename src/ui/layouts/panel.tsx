import type { ReactNode } from 'react';
import css from './panel.module.css';

/** For a frame with a panel: the columns of both. */
export const withPanel = css.columns as string;

interface PanelProps {
  picture: ReactNode;
  /** A sentence below it. */
  children?: ReactNode;
}

/** Beside a form, where there is room: quiet, and never anything that is needed. */
export const Panel = ({ picture, children }: PanelProps) => (
  <aside className={css.panel}>
    <div className={css.quiet}>
      {picture}
      {children && <div className={css.words}>{children}</div>}
    </div>
  </aside>
);
