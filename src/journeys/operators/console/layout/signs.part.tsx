import type { ReactNode } from 'react';
import css from './signs.module.css';

/** How a line stands, which its sign shows by form and color; a note has no sign. */
export type Sign = 'fine' | 'warning' | 'failed' | 'note';

/** Rows of a sheet that begin with a sign. */
export const Signs = ({ children }: { children: ReactNode }) => <ul className={css.signs}>{children}</ul>;

const classes = { fine: css.fine, warning: css.warning, failed: css.failed, note: css.note };

/** A sentence, and a link or a button that continues. */
export const Signed = ({ sign, children }: { sign: Sign; children: ReactNode }) => (
  <li className={classes[sign]}>{children}</li>
);
