import { type ReactNode, useEffect, useRef } from 'react';
import { useText } from '../../../browser/language/text.tsx';
import { Link } from '../../../browser/navigation/navigation.tsx';
import { usePage } from '../../../browser/navigation/page.tsx';
import { useAccount } from '../../../browser/requests/account.ts';
import type { readAccount } from '../../../contract/account.ts';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import type { MessageId } from '../../../messages/ids.ts';
import { AccountLayout, AccountUnread } from '../../../ui/layouts/account-layout.tsx';
import { Title } from '../../../ui/layouts/card.tsx';
import { sectionsOfAccount } from '../../../ui/layouts/places.tsx';
import { AccountNotices } from '../notices/account-notices.part.tsx';
import css from './section.module.css';

export type Account = ResponseBody<typeof readAccount>;

interface SectionProps {
  title: MessageId;
  /** Renders the content once the account is read. */
  children: (account: Account) => ReactNode;
}

/** A page of the account, with the menu of its pages beside it. */
export function Section({ title, children }: SectionProps) {
  const { account, failure, retry } = useAccount();
  return (
    <AccountLayout>
      <div className={css.page}>
        <div className={css.columns}>
          <SectionMenu />
          <div className={css.content}>
            <Title text={title} />
            {account ? (
              <>
                <AccountNotices account={account} />
                {children(account)}
              </>
            ) : (
              <AccountUnread failure={failure} retry={retry} />
            )}
          </div>
        </div>
      </div>
    </AccountLayout>
  );
}

/** Links to the pages of the account: a list beside the content, or on a narrow screen a strip that scrolls. */
function SectionMenu() {
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
        {sectionsOfAccount.map(([to, label]) => (
          <li key={to}>
            <Link to={to} className={css.item} aria-current={path === to ? 'page' : undefined} text={label} />
          </li>
        ))}
      </ul>
    </nav>
  );
}
