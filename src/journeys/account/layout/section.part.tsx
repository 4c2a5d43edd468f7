import type { ReactNode } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import { useAccount } from '../../../browser/requests/account.ts';
import type { readAccount } from '../../../contract/account.ts';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import type { MessageId } from '../../../messages/ids.ts';
import { AccountLayout } from '../../../ui/layouts/account/account-layout.tsx';
import { AccountUnread } from '../../../ui/layouts/account/account-unread.tsx';
import { Title } from '../../../ui/layouts/title.tsx';
import { AccountNotices } from '../notices/account-notices.part.tsx';
import css from './section.module.css';
import { SectionMenu } from './section-menu.part.tsx';

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
            <Title>
              <Text id={title} />
            </Title>
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
