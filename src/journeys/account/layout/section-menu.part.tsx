import { useEffect, useRef } from 'react';
import { Text, useText } from '../../../browser/language/text.tsx';
import { Link } from '../../../browser/navigation/navigation.tsx';
import { usePage } from '../../../browser/navigation/page.tsx';
import type { MessageId } from '../../../messages/ids.ts';
import css from './section-menu.module.css';

const sections: readonly (readonly [path: string, label: MessageId])[] = [
  ['/account/', 'account_profile.page'],
  ['/account/security/', 'account_security.page'],
  ['/account/devices/', 'account_devices.page'],
  ['/account/notifications/', 'account_notifications.page'],
  ['/account/alarms/', 'account_alarms.page'],
  ['/account/privacy/', 'account_privacy.page'],
];

/** Links to the pages of the account: a list beside the content, or on a narrow screen a strip that scrolls. */
export function SectionMenu() {
  const t = useText();
  const { path } = usePage();
  const strip = useRef<HTMLUListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs again when another section becomes the current one
  useEffect(() => {
    strip.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [path]);
  return (
    <nav className={css.menu} aria-label={t('account.page')}>
      <ul ref={strip} className={css.list}>
        {sections.map(([to, label]) => (
          <li key={to}>
            <Link to={to} className={css.item} aria-current={path === to ? 'page' : undefined}>
              <Text id={label} />
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
