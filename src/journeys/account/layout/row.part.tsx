import type { ReactNode, Ref } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import type { MessageId } from '../../../messages/ids.ts';
import css from './row.module.css';

/** A card of rows, one below the other. */
export const Rows = ({ children }: { children: ReactNode }) => <div className={css.rows}>{children}</div>;

interface RowProps {
  /** Anchor for links to the row. */
  id?: string | undefined;
  ref?: Ref<HTMLElement>;
  label: MessageId;
  /** Shown at the end of the row. */
  action?: ReactNode;
  children: ReactNode;
}

/** A setting: its name, its value, and what the owner can do with it. */
export const Row = ({ id, ref, label, action, children }: RowProps) => (
  <section id={id} ref={ref} className={css.row}>
    <h2 tabIndex={-1} className={css.label}>
      <Text id={label} />
    </h2>
    <div className={action ? css.value : `${css.value} ${css.wide}`}>{children}</div>
    {action && <div className={css.action}>{action}</div>}
  </section>
);

/** A muted remark below a row's value. */
export const Remark = ({ children }: { children: ReactNode }) => <p className={css.remark}>{children}</p>;

/** Whether something is in order, in words. */
export const Standing = ({ good, label }: { good: boolean; label: MessageId }) => (
  <span className={good ? css.good : css.warning}>
    <Text id={label} />
  </span>
);
