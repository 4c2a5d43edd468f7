import type { ReactNode, Ref } from 'react';
import { Text } from '../../browser/language/text.tsx';
import type { MessageId } from '../../messages/ids.ts';
import css from './sheet.module.css';

interface SheetProps {
  title: MessageId;
  /** At the end of the heading's line. */
  aside?: ReactNode;
  /** The heading, to focus it. */
  ref?: Ref<HTMLHeadingElement>;
  busy?: boolean;
  /** Rows that reach from edge to edge. */
  children: ReactNode;
}

/** A section with a heading above rows that reach from edge to edge. */
export const Sheet = ({ title, aside, ref, busy = false, children }: SheetProps) => (
  <section className={css.sheet} aria-busy={busy || undefined}>
    <div className={css.head}>
      <h2 ref={ref} tabIndex={-1}>
        <Text id={title} />
      </h2>
      {aside}
    </div>
    {children}
  </section>
);

/** Content of a sheet with space around it. */
export const SheetPart = ({ children }: { children: ReactNode }) => <div className={css.part}>{children}</div>;
