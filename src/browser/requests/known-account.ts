import type { readAccount } from '../../contract/account.ts';
import type { ResponseBody } from '../../contract/endpoint.ts';
import { cell } from '../platform/storage.ts';

/** The account as this tab read it last, for the frame around its pages; undefined before that and after signing out. */
export const knownAccount = cell<ResponseBody<typeof readAccount> | undefined>(undefined);

/** The id of the account that an access token is for; undefined without a token, or if it has another form. */
export function accountOf(token: string | undefined): string | undefined {
  try {
    const [, claims = ''] = (token ?? '').split('.');
    return JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))).sub;
  } catch {
    return undefined;
  }
}

/** Whether a page continues the request of an application, whoever signs in, rather than show an account. */
export const isForApplication = (path: string): boolean => /^\/(?:device|connect)\//.test(path);
