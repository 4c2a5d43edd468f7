import { type ReactNode, useState } from 'react';
import { Text } from '../../browser/language/text.tsx';
import { useAccount } from '../../browser/requests/account.ts';
import type { MessageId } from '../../messages/ids.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/feedback/notice.tsx';
import { AccountLayout } from '../../ui/layouts/account-layout.tsx';
import { AccountUnread } from '../../ui/layouts/account-unread.tsx';
import { Card } from '../../ui/layouts/card.tsx';
import { Title } from '../../ui/layouts/title.tsx';
import { Activity } from './activity.part.tsx';
import { Details } from './details.part.tsx';
import { Delete, Export, Left } from './leave.part.tsx';
import { ChangePassword } from './password.part.tsx';
import { Sessions } from './sessions.part.tsx';

/** What an account's owner knows and changes of it. */
export default function Account() {
  const { account, failure, retry } = useAccount();
  /** Forms that ask for the password, of which one at a time is open. */
  const [open, setOpen] = useState<'password' | 'changed' | 'delete' | 'deleted'>();
  if (open === 'deleted') return <Left />;
  return (
    <AccountLayout>
      <Title>
        <Text id="account.page" />
      </Title>
      {!account && <AccountUnread failure={failure} retry={retry} />}
      {account && (
        <>
          <Section title="account.details">
            <Details account={account} />
          </Section>
          <Section title="account.change_password">
            {open === 'password' && <ChangePassword email={account.email} done={() => setOpen('changed')} />}
            {open === 'changed' && (
              <Notice kind="success" role="status">
                <Text id="account.password_changed" />
              </Notice>
            )}
            {open !== 'password' && (
              <Button label="account.change_password" quiet narrow onClick={() => setOpen('password')} />
            )}
          </Section>
          <Section title="account.sessions">
            <Sessions key={open} />
          </Section>
          <Section title="account.activity">
            <Activity />
          </Section>
          <Section title="account.export">
            <Export />
          </Section>
          <Section title="account.delete">
            <p>
              <Text id="account.delete_text" />
            </p>
            {open === 'delete' ? (
              <Delete done={() => setOpen('deleted')} />
            ) : (
              <Button label="account.delete" quiet narrow onClick={() => setOpen('delete')} />
            )}
          </Section>
        </>
      )}
    </AccountLayout>
  );
}

const Section = ({ title, children }: { title: MessageId; children: ReactNode }) => (
  <Card>
    <h2>
      <Text id={title} />
    </h2>
    {children}
  </Card>
);
