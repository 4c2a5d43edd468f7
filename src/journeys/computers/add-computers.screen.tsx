import { Text } from '../../browser/language/text.tsx';
import { Link } from '../../browser/navigation/navigation.tsx';
import { useAccount } from '../../browser/requests/account.ts';
import button from '../../ui/button.module.css';
import { IsolatedText } from '../../ui/feedback/isolated-text.tsx';
import { AccountLayout } from '../../ui/layouts/account-layout.tsx';
import { AccountUnread } from '../../ui/layouts/account-unread.tsx';
import card from '../../ui/layouts/card.module.css';
import { Title } from '../../ui/layouts/title.tsx';

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
