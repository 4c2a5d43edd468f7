import type { ReactNode } from 'react';
import { Text } from '../../browser/language/text.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import { languageOf } from '../../contract/languages.ts';
import type { MessageId } from '../../messages/ids.ts';
import { singleClick } from '../../ui/single-click.ts';
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

/** Formats times (ISO 8601) in the page's language and the browser's time zone, with Latin digits. */
export function useTimes(): { when: (iso: string) => string; day: (iso: string) => string } {
  const { tag } = languageOf(usePage().language);
  const locale = `${tag}-u-ca-gregory-nu-latn`;
  const time = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
  return { when: (iso) => time.format(new Date(iso)), day: (iso) => date.format(new Date(iso)) };
}
