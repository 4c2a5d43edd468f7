import type { ReactNode } from 'react';
import { Text } from '../../browser/language/text.tsx';
import type { MessageId } from '../../messages/ids.ts';
import css from './sheet.module.css';

interface SheetProps {
  /** Its heading; none if the page's title says the same. */
  title?: MessageId | undefined;
  /** Shown at the end of the heading's line. */
  aside?: ReactNode;
  busy?: boolean;
  /** Rows that reach from edge to edge. */
  children: ReactNode;
}

/** A section of rows that reach from edge to edge. */
export const Sheet = ({ title, aside, busy = false, children }: SheetProps) => (
  <section className={css.sheet} aria-busy={busy || undefined}>
    {title && (
      <div className={css.head}>
        <h2 tabIndex={-1}>
          <Text id={title} />
        </h2>
        {aside}
      </div>
    )}
    {children}
  </section>
);

/** The last line of a sheet: links and buttons, or a legend. */
export const SheetFoot = ({ children }: { children: ReactNode }) => <div className={css.foot}>{children}</div>;

/** Says that there are no rows. */
export const SheetEmpty = ({ id, role }: { id: MessageId; role?: 'status' }) => (
  <p className={css.empty} role={role}>
    <Text id={id} />
  </p>
);

/** Content of a sheet with space around it. */
export const SheetPart = ({ children }: { children: ReactNode }) => <div className={css.part}>{children}</div>;
