import { usePage } from '../../../browser/navigation/page.tsx';
import type { readAccount } from '../../../contract/account.ts';
import type { Answered } from '../../../contract/endpoint.ts';
import { Passkeys } from '../../passkeys/passkeys.part.tsx';
import { SecondStepRows } from '../second-step/second-step-rows.part.tsx';
import type { SecurityState } from '../second-step/use-security.part.ts';

export interface MethodsProps {
  account: Answered<typeof readAccount>;
  security: SecurityState;
}

/** The passkeys and the second step, as far as the operator offers them. */
export function Methods({ account, security }: MethodsProps) {
  const { settings } = usePage();
  return (
    <>
      {settings.passkeys && <Passkeys account={account} />}
      {settings.secondStep && <SecondStepRows security={security} />}
    </>
  );
}
