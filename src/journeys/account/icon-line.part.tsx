import type { ReactNode, Ref } from 'react';
import css from './icon-line.module.css';

interface IconLineProps {
  ref?: Ref<HTMLLIElement>;
  icon: ReactNode;
  /** The item is not in use. */
  muted?: boolean;
  name: ReactNode;
  /** `Detail` elements, one per line. */
  details: ReactNode;
  actions?: ReactNode;
  /** A form about the item, below it. */
  form?: ReactNode;
}

/** A line of a list with an icon, such as a device or a passkey, and what its owner can do with it. */
export const IconLine = ({ ref, icon, muted = false, name, details, actions, form }: IconLineProps) => (
  <li ref={ref} className={css.line}>
    <span className={muted ? `${css.icon} ${css.muted}` : css.icon}>{icon}</span>
    <div className={css.words}>
      <span className={css.name}>{name}</span>
      {details}
    </div>
    {actions && <div className={css.actions}>{actions}</div>}
    {form && <div className={css.form}>{form}</div>}
  </li>
);

/** A fact about the item, in small type. */
export const Detail = ({ children }: { children: ReactNode }) => <span className={css.detail}>{children}</span>;
