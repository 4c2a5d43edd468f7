import { type ReactNode, type Ref, useEffect, useState } from 'react';
import { Text } from '../../browser/language/text.tsx';
import { useKeptFocus } from '../../browser/navigation/history.ts';
import { usePage } from '../../browser/navigation/page.tsx';
import { useRequest } from '../../browser/requests/request-status.ts';
import { languageOf } from '../../contract/languages.ts';
import type { MessageId } from '../../messages/ids.ts';
import { Button, singleClick } from '../../ui/button.tsx';
import { Failed, Overdue } from '../../ui/feedback/feedback.tsx';
import { TextButton } from '../../ui/text-button.tsx';
import { VisuallyHidden } from '../../ui/text-on-page.tsx';
import css from './parts.module.css';

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

/** Formats times (ISO 8601) in the page's language and the browser's time zone, with Latin digits. */
export function useTimes(): { when: (iso: string) => string; day: (iso: string) => string } {
  const { tag } = languageOf(usePage().language);
  const locale = `${tag}-u-ca-gregory-nu-latn`;
  const time = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
  return { when: (iso) => time.format(new Date(iso)), day: (iso) => date.format(new Date(iso)) };
}

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

/** Reads data when its part of the page appears, and again on request. */
export function useRead<Content>(ask: (signal: AbortSignal) => Promise<Content>) {
  const [response, setResponse] = useState<Content>();
  const { start, restart, state, error } = useRequest(async (signal) => setResponse(await ask(signal)));
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the page appears
  useEffect(() => void start(), []);
  return { response, setResponse, again: restart, waiting: state === 'pending', failure: error };
}

interface UnreadProps {
  read: Pick<ReturnType<typeof useRead>, 'response' | 'again' | 'waiting' | 'failure'>;
  /** The usual text, whose height is kept free. */
  usual?: MessageId;
  children: ReactNode;
}

/** Shows the data, or why it is missing. */
export function Unread({ read: { response, again, waiting, failure }, usual, children }: UnreadProps) {
  useKeptFocus();
  return (
    <>
      {response !== undefined && children}
      {response === undefined && !failure && (
        <div className={css.later}>
          <p role="status">
            <Text id="frame.loading" />
          </p>
          {usual && (
            <p aria-hidden="true" className={css.usual}>
              <Text id={usual} />
            </p>
          )}
        </div>
      )}
      <Failed failure={failure} />
      {failure && <Button label="form.retry" quiet narrow onClick={() => again()} />}
      <Overdue waiting={waiting} retry={again} />
    </>
  );
}
