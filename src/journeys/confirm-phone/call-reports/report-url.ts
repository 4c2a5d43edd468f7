import { isMacOfCode, macOfCode } from '../../../security/code-macs.ts';
import type { Service } from '../../../server/service.ts';

/** No digits, so the MAC differs from the proof of any call. */
const reported = 'reported';

/**
 * The URL at which a provider reports that the user has called. Only the provider learns it: the browser knows the id
 * of the call, but cannot compute the token.
 */
export const reportUrlOf = ({ config, keyring }: Service, call: string): string =>
  new URL(`/phone/called/${call}/${macOfCode(keyring.calls[0] as Buffer, call, reported)}`, config.PUBLIC_URL).href;

export const isReportToken = ({ keyring }: Service, { call, token }: { call: string; token: string }): boolean =>
  isMacOfCode(keyring.calls, token, { id: call, code: reported });
