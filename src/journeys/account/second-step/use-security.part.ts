import { useEffect, useState } from 'react';
import { useAccountChanges } from '../../../browser/requests/account-changes.ts';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import { readSecurity } from './second-step-settings.contract.ts';

export type SecurityState = ResponseBody<typeof readSecurity>;

/** How the owner signs in, read when the component appears and after each change; undefined until the first read. */
export function useSecurity() {
  const [security, setSecurity] = useState<SecurityState>();
  const { start, restart, error } = useRequest(async (signal) => {
    setSecurity(await sendRequest(readSecurity, { signal }));
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the component appears
  useEffect(() => void start(), []);
  useAccountChanges(restart, start);
  return { security, failure: error, retry: restart };
}

/** Whether a dialog asks for a second step or a passkey, and forms therefore need no password. */
export const provesFirst = (security: SecurityState | undefined): boolean =>
  security !== undefined && (security.authenticator || !security.password);
