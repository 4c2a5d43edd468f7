import type { ReactNode } from 'react';
import { Text } from '../../browser/language/text.tsx';
import type { MessageId } from '../../messages/ids.ts';
import css from './section.module.css';

/** Below the call: what else there is to do or to know. */
export const Section = ({ title, children }: { title: MessageId; children: ReactNode }) => (
  <section className={css.section}>
    <h2>
      <Text id={title} />
    </h2>
    {children}
  </section>
);
