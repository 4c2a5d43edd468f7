import type { ReactNode } from 'react';
import css from './card.module.css';

/** A piece of a signed-in page: something and what to do about it. */
export const Card = ({ id, children }: { id?: string | undefined; children: ReactNode }) => (
  <section id={id} className={css.card}>
    {children}
  </section>
);
