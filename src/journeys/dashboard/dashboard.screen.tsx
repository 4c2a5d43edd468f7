import { useAccount } from '../../browser/account.ts';
import { Link } from '../../browser/navigation.tsx';
import { Text } from '../../browser/text.tsx';
import { AccountLayout } from '../../ui/account-layout.tsx';
import { AccountUnread } from '../../ui/account-unread.tsx';
import button from '../../ui/button.module.css';
import card from '../../ui/card.module.css';
import { IsolatedText } from '../../ui/isolated-text.tsx';
import title from '../../ui/title.module.css';

/** What an account's owner sees first. */
export default function Dashboard() {
  const { account, failure, retry } = useAccount();
  return (
    <AccountLayout>
      <div className={title.head}>
        <h1>
          {account ? (
            <IsolatedText id="dashboard.hello" values={{ name: account.name }} dir="auto" />
          ) : (
            <Text id="dashboard.page" />
          )}
        </h1>
        {account && (
          <p className={title.lead}>
            <IsolatedText id="dashboard.signed_in_as" values={{ email: account.email }} />
          </p>
        )}
      </div>
      {!account && <AccountUnread failure={failure} retry={retry} />}
      {account && (
        <section className={card.card}>
          <h2>
            <Text id="dashboard.empty_title" />
          </h2>
          <p>
            <Text id="dashboard.empty_text" />
          </p>
          <Link to="/computers/add/" className={button.button}>
            <Text id="dashboard.add" />
          </Link>
        </section>
      )}
    </AccountLayout>
  );
}
