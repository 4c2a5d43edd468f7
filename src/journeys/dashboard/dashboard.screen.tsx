import { Text } from '../../browser/language/text.tsx';
import { Link } from '../../browser/navigation/navigation.tsx';
import { useAccount } from '../../browser/requests/account.ts';
import button from '../../ui/button.module.css';
import { IsolatedText } from '../../ui/feedback/isolated-text.tsx';
import { AccountLayout } from '../../ui/layouts/account-layout.tsx';
import { AccountUnread } from '../../ui/layouts/account-unread.tsx';
import card from '../../ui/layouts/card.module.css';
import title from '../../ui/layouts/title.module.css';

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
