import { Text } from '../../browser/language/text.tsx';
import { useAccount } from '../../browser/requests/account.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { AccountLayout } from '../../ui/layouts/account-layout.tsx';
import { AccountUnread } from '../../ui/layouts/account-unread.tsx';
import { Card } from '../../ui/layouts/card.tsx';
import { Title } from '../../ui/layouts/title.tsx';

/** Where a new account begins. */
export default function AddComputers() {
  const { account, failure, retry } = useAccount();
  return (
    <AccountLayout>
      <Title>
        <Text id="computers_add.page" />
      </Title>
      {!account && <AccountUnread failure={failure} retry={retry} />}
      {account && (
        <Card>
          <h2>
            <Text id="computers_add.ready" values={{ name: account.name }} dir="auto" />
          </h2>
          <p>
            <Text id="computers_add.soon" />
          </p>
          <ButtonLink to="/dashboard/" label="computers_add.dashboard" quiet narrow />
        </Card>
      )}
    </AccountLayout>
  );
}
