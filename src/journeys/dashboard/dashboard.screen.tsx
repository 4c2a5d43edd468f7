import { Text } from '../../browser/language/text.tsx';
import { useAccount } from '../../browser/requests/account.ts';
import { AccountLayout } from '../../ui/layouts/account-layout.tsx';
import { AccountMail } from '../../ui/layouts/account-mail.tsx';
import { AccountUnread } from '../../ui/layouts/account-unread.tsx';
import { Title } from '../../ui/layouts/title.tsx';
import { Overview } from './overview.part.tsx';

/** The dashboard, the first page for signed-in users. */
export default function Dashboard() {
  const { account, failure, retry } = useAccount();
  return (
    <AccountLayout>
      <Title>
        {account ? (
          <Text id="dashboard.hello" values={{ name: account.name }} dir="auto" />
        ) : (
          <Text id="dashboard.page" />
        )}
      </Title>
      {account && <AccountMail account={account} />}
      {account ? <Overview /> : <AccountUnread failure={failure} retry={retry} />}
    </AccountLayout>
  );
}
