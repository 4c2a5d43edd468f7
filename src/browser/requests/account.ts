import { useEffect, useState } from 'react';
import type { readAccount } from '../../contract/account.ts';
import type { Answered } from '../../contract/endpoint.ts';
import { forgetLink, keptQuery } from '../navigation/kept-query.ts';
import { notifyAccountChanged, useAccountChanges } from './account-changes.ts';
import { useRequest } from './request-status.ts';
import { sendRequest } from './send-request.ts';

type Account = Answered<typeof readAccount>;

/** The account of whoever is signed in, read anew when it was changed; undefined until it has been read. */
export function useAccount() {
  const [account, setAccount] = useState<Account>();
  const { start, restart, error } = useRequest(async (signal) => {
    const { readAccount } = await import('../../contract/account.ts');
    setAccount(await sendRequest(readAccount, { signal }));
    void showThatMailIsRead();
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page is shown
  useEffect(() => void start(), []);
  useAccountChanges(restart, start);
  return { account, failure: error, retry: restart };
}

/** The link of the first mail leads here with a secret. Whether it is this account's is for the server to say, and no news. */
async function showThatMailIsRead(): Promise<void> {
  const { link } = keptQuery.read();
  if (!link) return;
  const { confirmEmail } = await import('../../contract/account.ts');
  const shown = sendRequest(confirmEmail, { body: { hash: link.hash } });
  await shown.then(forgetLink, forgetLink);
  void shown.then(notifyAccountChanged, () => undefined);
}
