import type { ReactNode } from 'react';
import css from './card.module.css';

/** A section of a page for signed-in users. */
export const Card = ({ id, children }: { id?: string | undefined; children: ReactNode }) => (
  <section id={id} className={css.card}>
    {children}
  </section>
);
