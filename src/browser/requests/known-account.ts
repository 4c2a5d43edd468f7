import type { readAccount } from '../../contract/account.ts';
import type { ResponseBody } from '../../contract/endpoint.ts';
import { cell } from '../platform/cell.ts';

/** The account as this tab read it last, for the frame around its pages; undefined before that and after signing out. */
export const knownAccount = cell<ResponseBody<typeof readAccount> | undefined>(undefined);
