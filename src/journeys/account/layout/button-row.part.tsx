import type { ReactNode } from 'react';
import css from './button-row.module.css';

/** Buttons beside each other, as far as they fit. */
export const ButtonRow = ({ children }: { children: ReactNode }) => <div className={css.buttons}>{children}</div>;
