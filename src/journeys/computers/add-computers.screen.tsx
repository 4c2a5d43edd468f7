import { useAccount } from '../../browser/account.ts';
import { Link } from '../../browser/navigation.tsx';
import { Text } from '../../browser/text.tsx';
import { AccountLayout } from '../../ui/account-layout.tsx';
import { AccountUnread } from '../../ui/account-unread.tsx';
import button from '../../ui/button.module.css';
import card from '../../ui/card.module.css';
import { IsolatedText } from '../../ui/isolated-text.tsx';
import { Title } from '../../ui/title.tsx';

/** Where a new account begins. */
export default function AddComputers() {
  const { account, failure, retry } = useAccount();
  return (
    <AccountLayout>
      <Title title="computers_add.page" />
      {!account && <AccountUnread failure={failure} retry={retry} />}
      {account && (
        <section className={card.card}>
          <h2>
            <IsolatedText id="computers_add.ready" values={{ name: account.name }} dir="auto" />
          </h2>
          <p>
            <Text id="computers_add.soon" />
          </p>
          <Link to="/dashboard/" className={`${button.button} ${button.quiet}`}>
            <Text id="computers_add.dashboard" />
          </Link>
        </section>
      )}
    </AccountLayout>
  );
}
