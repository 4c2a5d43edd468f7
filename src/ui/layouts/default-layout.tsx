import type { ReactNode } from 'react';
import css from './default-layout.module.css';
import { Frame } from './frame.tsx';
import { Picture } from './picture.tsx';

interface DefaultLayoutProps {
  /** A sentence for the quiet panel. */
  beside: ReactNode;
  children: ReactNode;
}

/** A form, and beside it, where there is room, a quiet panel with a picture. */
export const DefaultLayout = ({ beside, children }: DefaultLayoutProps) => (
  <Frame
    className={css.columns}
    panel={
      <aside className={css.panel}>
        <div className={css.quiet}>
          <Picture />
          <div className={css.words}>{beside}</div>
        </div>
      </aside>
    }
  >
    {children}
  </Frame>
);
