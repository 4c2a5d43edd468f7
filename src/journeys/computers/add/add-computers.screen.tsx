import { useEffect } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import { useCell } from '../../../browser/platform/cell.ts';
import { emailConfirmation, useAccount } from '../../../browser/requests/account.ts';
import { days } from '../../../contract/durations.ts';
import { Notice } from '../../../ui/feedback/notice.tsx';
import { AccountLayout } from '../../../ui/layouts/account/account-layout.tsx';
import { AccountUnread } from '../../../ui/layouts/account/account-unread.tsx';
import { Title } from '../../../ui/layouts/title.tsx';
import { AccountNotices } from '../../account/notices/account-notices.part.tsx';
import { AddSteps } from './add-steps.part.tsx';

/** How long an account counts as new. */
const newFor = days(1);

/** The page that adds computers, where a new account starts, also by the link of its first email. */
export default function AddComputers() {
  const { account, failure, retry } = useAccount();
  const opened = useCell(emailConfirmation, () => undefined);
  useEffect(() => () => emailConfirmation.write(undefined), []);
  // The first proof of an address clears a name that a stranger may have entered.
  const isNew = account && account.name !== '' && Date.now() - Date.parse(account.created_at) < newFor;
  return (
    <AccountLayout>
      <Title lead={isNew && <Text id="computers_add.ready" values={{ name: account.name }} dir="auto" />}>
        <Text id="computers_add.page" />
      </Title>
      {account && <AccountNotices account={account} />}
      {opened === 'confirmed' && (
        <Notice kind="success" role="status">
          <Text id="account.email_confirmed" />
        </Notice>
      )}
      {account?.email_confirmed === false && opened === 'refused' && (
        <Notice kind="danger" role="alert">
          <Text id="change_email.expired" />
        </Notice>
      )}
      {account ? <AddSteps email={account.email} /> : <AccountUnread failure={failure} retry={retry} />}
    </AccountLayout>
  );
}
