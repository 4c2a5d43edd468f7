import { useEffect, useState } from 'react';
import type { readAccount } from '../../contract/account.ts';
import type { Answered } from '../../contract/endpoint.ts';
import { forgetLink, keptQuery } from '../navigation/kept-query.ts';
import { notifyAccountChanged, useAccountChanges } from './account-changes.ts';
import { knownAccount } from './known-account.ts';
import { useRequest } from './request-status.ts';
import { sendRequest } from './send-request.ts';

type Account = Answered<typeof readAccount>;

/** The account of the signed-in user, read again after a change; undefined until the first read. */
export function useAccount() {
  const [account, setAccount] = useState<Account>();
  const { start, restart, error } = useRequest(async (signal) => {
    const { readAccount } = await import('../../contract/account.ts');
    const read = await sendRequest(readAccount, { signal });
    setAccount(read);
    knownAccount.write(read);
    void showThatMailIsRead();
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the page appears
  useEffect(() => void start(), []);
  useAccountChanges(restart, start);
  return { account, failure: error, retry: restart };
}

/** Confirms the email if the link of the first email led here. The server checks its secret; a refusal is not shown. */
async function showThatMailIsRead(): Promise<void> {
  const { link } = keptQuery.read();
  if (!link) return;
  const { confirmEmail } = await import('../../contract/account.ts');
  const shown = sendRequest(confirmEmail, { body: { hash: link.hash } });
  await shown.then(forgetLink, forgetLink);
  void shown.then(notifyAccountChanged, () => undefined);
}
