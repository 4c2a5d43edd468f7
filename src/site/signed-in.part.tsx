import type { ReactNode } from 'react';
import { useAccount } from '../browser/requests/account.ts';
import { AccountLayout } from '../ui/layouts/account-layout.tsx';

/** A page that is not one of an account, with the account's menu. */
export function SignedIn({ children }: { children: ReactNode }) {
  useAccount();
  return <AccountLayout>{children}</AccountLayout>;
}
