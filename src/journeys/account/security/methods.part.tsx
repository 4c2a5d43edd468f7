import { type ReactNode, useState } from 'react';
import { usePage } from '../../../browser/navigation/page.tsx';
import type { readAccount } from '../../../contract/account.ts';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import { Passkeys } from '../../passkeys/manage/passkeys.part.tsx';
import { SecondStepRows } from '../second-step/second-step-rows.part.tsx';
import type { SecurityState } from '../second-step/use-security.part.ts';

interface MethodsProps {
  account: ResponseBody<typeof readAccount>;
  security: SecurityState;
  /** Below the methods, so that they do not move when it appears. */
  children: ReactNode;
}

/** The passkeys and the second step, as far as the operator offers them. */
export function Methods({ account, security, children }: MethodsProps) {
  const { settings } = usePage();
  const [ready, setReady] = useState(!settings.passkeys);
  return (
    <>
      {settings.passkeys && <Passkeys account={account} settled={() => setReady(true)} />}
      {ready && settings.secondStep && <SecondStepRows security={security} />}
      {ready && children}
    </>
  );
}
