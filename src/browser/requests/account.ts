import { useEffect, useState } from 'react';
import { readAccount } from '../../contract/account.ts';
import type { ResponseBody } from '../../contract/endpoint.ts';
import { tabStorage } from '../platform/storage.ts';
import { useRequest } from './request-status.ts';
import { sendRequest } from './send-request.ts';
import { knownAccount, useAccountChanges } from './session.ts';

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
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the page appears
  useEffect(() => void start(), []);
  useAccountChanges(restart, start);
  return { account, failure: error, retry: restart };
}
