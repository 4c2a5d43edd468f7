import { Children, type ReactNode, type Ref } from 'react';
import { Text } from '../../browser/language/text.tsx';
import { unknownBrowser } from '../../contract/activity.ts';
import type { MessageId } from '../../messages/ids.ts';
import { singleClick } from '../../ui/button.tsx';
import { TextButton } from '../../ui/text-button.tsx';
import { VisuallyHidden } from '../../ui/visually-hidden.tsx';
import css from './lines.module.css';

/** A list of similar items. */
export const Lines = ({ children }: { children: ReactNode }) => <ul className={css.lines}>{children}</ul>;

interface LineProps {
  title: ReactNode;
  /** Further facts, one per line. */
  details: readonly ReactNode[];
  /** What the owner can do with the item. */
  action?: { readonly label: MessageId; readonly act: () => void } | false;
}

export const Line = ({ title, details, action }: LineProps) => (
  <li className={css.line}>
    <div className={css.words}>
      <span>{title}</span>
      {details.map(
        (detail, at) =>
          detail && (
            // biome-ignore lint/suspicious/noArrayIndexKey: the order never changes
            <span key={at} className={css.detail}>
              {detail}
            </span>
          ),
      )}
    </div>
    {action && (
      <TextButton onClick={singleClick(action.act)}>
        <Text id={action.label} />
        <VisuallyHidden> {title}</VisuallyHidden>
      </TextButton>
    )}
  </li>
);

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
  <li ref={ref} className={css.iconLineLine}>
    <span className={muted ? `${css.icon} ${css.muted}` : css.icon}>{icon}</span>
    <div className={css.iconLineWords}>
      <span className={css.name}>{name}</span>
      {details}
    </div>
    {actions && <div className={css.actions}>{actions}</div>}
    {form && <div className={css.form}>{form}</div>}
  </li>
);

/** A fact about the item, in small type. */
export const Detail = ({ children }: { children: ReactNode }) => <span className={css.iconLineDetail}>{children}</span>;

/** Facts with points between them, which stay whole in a narrow line, also among words of the other direction. */
export const Facts = ({ children }: { children: ReactNode }) => (
  <span className={css.facts}>
    <span>{Children.map(children, (fact) => fact && <span className={css.fact}>{fact}</span>)}</span>
  </span>
);

export const DeviceName = ({ name }: { name: string }) =>
  name === unknownBrowser ? <Text id="account.device_unknown" /> : <bdi>{name}</bdi>;
