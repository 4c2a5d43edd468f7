import type { ReactNode } from 'react';
import css from './clear-layout.module.css';
import { Frame } from './frame.tsx';

/** One centred column. */
export const ClearLayout = ({ children }: { children: ReactNode }) => (
  <Frame className={css.ground}>
    <div className={css.card}>{children}</div>
  </Frame>
);
