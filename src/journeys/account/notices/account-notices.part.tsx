import { type ComponentType, useEffect, useState } from 'react';
import type { readAccount } from '../../../contract/account.ts';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import { AccountBanners } from '../../../ui/layouts/account/account-banners.tsx';
import type { SecurityNoticesProps } from './security-notices.part.tsx';

/** Notices above every page of an account. Those about signing in load last, once the page is complete. */
export function AccountNotices({ account }: { account: ResponseBody<typeof readAccount> }) {
  const [Security, setSecurity] = useState<ComponentType<SecurityNoticesProps>>();
  useEffect(() => {
    const load = () =>
      import('./security-notices.part.tsx')
        .then((part) => setSecurity(() => part.SecurityNotices))
        // Without a connection, the page still works without them.
        .catch(() => undefined);
    // Safari has no idle callbacks.
    if (!('requestIdleCallback' in window)) return void setTimeout(load);
    requestIdleCallback(load);
  }, []);
  return (
    <>
      <AccountBanners account={account} />
      {Security && <Security account={account} />}
    </>
  );
}
