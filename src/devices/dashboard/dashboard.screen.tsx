import { Text } from '../../browser/language/text.tsx';
import { useAccount } from '../../browser/requests/account.ts';
import { AccountNotices } from '../../journeys/account/notices/account-notices.part.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { AccountLayout } from '../../ui/layouts/account-layout.tsx';
import { Title } from '../../ui/layouts/card.tsx';
import { PageHead } from '../../ui/layouts/page-head.tsx';
import { useFleet } from './fleet.part.tsx';
import { Overview } from './overview.part.tsx';

/** The dashboard, the first page for signed-in users. */
export default function Dashboard() {
  const { account, failure, retry } = useAccount();
  const fleet = useFleet();
  // The card that replaces the list then has the button.
  const isEmpty = fleet.seen?.length === 0;
  return (
    <AccountLayout wide>
      <PageHead inMenu actions={!isEmpty && <ButtonLink to="/computers/add/" label="dashboard.add" narrow />}>
        <Title>
          {/* The first proof of an address clears a name that a stranger may have entered. */}
          {account?.name ? (
            <Text id="dashboard.hello" values={{ name: account.name }} dir="auto" />
          ) : (
            <Text id="dashboard.page" />
          )}
        </Title>
      </PageHead>
      {/* Only with what is below them, which they would otherwise move. */}
      {account && (fleet.seen || fleet.live.failure) && <AccountNotices account={account} />}
      <Overview fleet={fleet} failure={account ? undefined : failure} retry={retry} />
    </AccountLayout>
  );
}
