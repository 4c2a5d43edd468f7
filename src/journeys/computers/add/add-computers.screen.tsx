import { Text } from '../../../browser/language/text.tsx';
import { useAccount } from '../../../browser/requests/account.ts';
import { AccountLayout } from '../../../ui/layouts/account-layout.tsx';
import { AccountUnread } from '../../../ui/layouts/account-unread.tsx';
import { Title } from '../../../ui/layouts/title.tsx';
import { AccountNotices } from '../../account/notices/account-notices.part.tsx';
import { AddSteps } from './add-steps.part.tsx';

/** The page that adds computers, where a new account starts. */
export default function AddComputers() {
  const { account, failure, retry } = useAccount();
  return (
    <AccountLayout>
      <Title lead={account && <Text id="computers_add.ready" values={{ name: account.name }} dir="auto" />}>
        <Text id="computers_add.page" />
      </Title>
      {account && <AccountNotices account={account} />}
      {account ? <AddSteps email={account.email} /> : <AccountUnread failure={failure} retry={retry} />}
    </AccountLayout>
  );
}
