import { secondStepWaysOf } from '../../access/second-step/begin-second-step.ts';
import type { ResponseBody } from '../../contract/endpoint.ts';
import { isoOrNull } from '../../contract/iso-time.ts';
import { browserKind } from '../../security/browser-kind.ts';
import { sha256 } from '../../security/secrets.ts';
import type { Service } from '../../server/service.ts';
import { type PendingSignInsTable, pendingSignIns } from '../../store/access/second-step/pending-sign-ins.ts';
import { removalDueAt } from '../../store/access/second-step/removals.ts';
import { type AccountsTable, findAccount } from '../../store/accounts/accounts.ts';
import type { Visitor } from '../../store/visitor.ts';
import type { pendingSignIn as contract } from './second-step.contract.ts';

/** The browser that sent the cookie of a pending sign-in. */
export interface PendingBrowser {
  /** The cookie of the pending sign-in. */
  readonly token: string | undefined;
  /** The device cookie. */
  readonly deviceToken: string | undefined;
  readonly visitor: Visitor;
}

export interface OpenPendingSignIn {
  readonly pending: PendingSignInsTable;
  readonly account: AccountsTable;
}

/**
 * The pending sign-in of a browser with its account. Undefined without one, after ten minutes, or in another browser than
 * the one whose first factor was right.
 */
export async function openPendingSignIn(
  { store, now }: Pick<Service, 'store' | 'now'>,
  { token, deviceToken, visitor }: PendingBrowser,
): Promise<OpenPendingSignIn | undefined> {
  const pending = token && (await pendingSignIns.find(store, { token_hash: sha256(token) }, now()));
  if (!pending) return undefined;
  const isSameDevice = pending.device_hash === (deviceToken === undefined ? null : sha256(deviceToken));
  const isSameKind = browserKind(pending.user_agent) === browserKind(visitor.userAgent);
  if (!isSameDevice || !isSameKind) return undefined;
  const account = await findAccount(store, pending.account_id);
  return account && { pending, account };
}

/** How this browser can complete its pending sign-in, for a page that was reloaded. */
export async function readPendingSignIn(
  service: Service,
  browser: PendingBrowser,
): Promise<ResponseBody<typeof contract>> {
  const opened = await openPendingSignIn(service, browser);
  if (!opened) return { ways: [], removal_at: null };
  const { account } = opened;
  return {
    ways: await secondStepWaysOf(service, account),
    removal_at: isoOrNull(await removalDueAt(service.store, account.id)),
  };
}
