import type { ReactNode } from 'react';
import css from './card.module.css';

/** A piece of a signed-in page: something and what to do about it. */
export const Card = ({ children }: { children: ReactNode }) => <section className={css.card}>{children}</section>;
