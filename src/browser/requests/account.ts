import { useEffect, useState } from 'react';
import { confirmEmail, readAccount } from '../../contract/account.ts';
import type { ResponseBody } from '../../contract/endpoint.ts';
import { forgetLink, keptQuery } from '../navigation/kept-query.ts';
import { cell } from '../platform/cell.ts';
import { tabStorage } from '../platform/storage.ts';
import { notifyAccountChanged, useAccountChanges } from './account-changes.ts';
import { knownAccount } from './known-account.ts';
import { useRequest } from './request-status.ts';
import { sendRequest } from './send-request.ts';

type Account = ResponseBody<typeof readAccount>;

/** The account of the signed-in user, read again on each page and after a change; undefined until the first read. */
export function useAccount() {
  const [account, setAccount] = useState<Account | undefined>(knownAccount.read);
  const { start, restart, error } = useRequest(async (signal) => {
    const read = await sendRequest(readAccount, { signal });
    setAccount(read);
    knownAccount.write(read);
    // Only its owner returns to a page of this account after the next sign-in.
    tabStorage.write('account', read.id);
    void showThatMailIsRead();
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the page appears
  useEffect(() => void start(), []);
  useAccountChanges(restart, start);
  return { account, failure: error, retry: restart };
}

/** What became of the emailed link that led here, for the page that shows the address. */
export const emailConfirmation = cell<'confirmed' | 'refused' | undefined>(undefined);

/** Confirms the email if the link of the first email led here. The server checks its secret. */
async function showThatMailIsRead(): Promise<void> {
  const { link } = keptQuery.read();
  if (!link) return;
  const shown = sendRequest(confirmEmail, { body: { hash: link.hash } });
  await shown.then(forgetLink, forgetLink);
  void shown.then(
    () => {
      emailConfirmation.write('confirmed');
      notifyAccountChanged();
    },
    ({ code }: { code?: unknown }) => {
      if (code === 'confirmation_link_expired') emailConfirmation.write('refused');
    },
  );
}
