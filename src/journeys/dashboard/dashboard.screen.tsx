import { Text } from '../../browser/language/text.tsx';
import { useAccount } from '../../browser/requests/account.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { AccountLayout } from '../../ui/layouts/account-layout.tsx';
import { AccountUnread } from '../../ui/layouts/account-unread.tsx';
import { Card } from '../../ui/layouts/card.tsx';
import { GhostRows } from '../../ui/layouts/ghost-rows.tsx';
import { Title } from '../../ui/layouts/title.tsx';

/** What an account's owner sees first. */
export default function Dashboard() {
  const { account, failure, retry } = useAccount();
  return (
    <AccountLayout>
      <Title lead={account && <Text id="dashboard.signed_in_as" values={{ email: account.email }} />}>
        {account ? (
          <Text id="dashboard.hello" values={{ name: account.name }} dir="auto" />
        ) : (
          <Text id="dashboard.page" />
        )}
      </Title>
      {!account && <AccountUnread failure={failure} retry={retry} />}
      {account && (
        <Card>
          <GhostRows />
          <h2>
            <Text id="dashboard.empty_title" />
          </h2>
          <p>
            <Text id="dashboard.empty_text" />
          </p>
          <ButtonLink to="/computers/add/" label="dashboard.add" narrow />
        </Card>
      )}
    </AccountLayout>
  );
}
