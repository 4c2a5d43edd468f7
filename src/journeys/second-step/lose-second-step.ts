import { once } from '../../access/once.ts';
import { requestRemoval, stopRemovalByLink } from '../../access/second-step-removal.ts';
import { refuse, tooMuch } from '../../contract/failures.ts';
import { hours } from '../../contract/units.ts';
import { sha256 } from '../../security/macs.ts';
import type { Service } from '../../server/service.ts';
import { pendingSignIns, removalDueAt } from '../../store/access/second-step.ts';
import { needsSecondStep } from '../../store/access/sign-in-lookup.ts';
import { emailKey, lockAndFindAccount } from '../../store/accounts/accounts.ts';
import { countRequestInTransaction, limitKey } from '../../store/rate-limits.ts';
import type { Visitor } from '../../store/visitor.ts';
import { openPendingSignIn, type PendingBrowser } from './complete-sign-in.ts';
import * as contract from './second-step.contract.ts';

/** Removals that can be requested within a day, such as again after someone stopped one: each sends an email. */
const requestsADay = 3;

/**
 * Requests the removal of a second step whose owner has lost it, after the right first factor. Returns when it takes
 * effect (ms since the epoch). Refuses with `sign_in_expired` or `too_many_requests`.
 */
export async function loseSecondStep(service: Service, browser: PendingBrowser): Promise<number> {
  const endpoint = contract.secondStepLost;
  const opened = await openPendingSignIn(service, browser);
  if (!opened) throw refuse(endpoint, 'sign_in_expired');
  const { pending } = opened;
  const dueAt = await service.store.transaction().execute(async (trx) => {
    const at = service.now();
    const account = await lockAndFindAccount(trx, pending.account_id);
    const isStillPending = await pendingSignIns.find(trx, { token_hash: pending.token_hash }, at);
    if (!account || !isStillPending || !needsSecondStep(service, account)) throw refuse(endpoint, 'sign_in_expired');
    const planned = await removalDueAt(trx, account.id);
    if (planned !== null) return planned;
    const key = limitKey('second-step-lost', sha256(emailKey(account.email)));
    const limit = { key, limit: requestsADay, within: hours(24) };
    const counted = await countRequestInTransaction(trx, [limit], at);
    if (counted.state === 'refused') throw tooMuch(endpoint, 'too_many_requests', counted.freeAt - at);
    return requestRemoval(service, trx, { account, visitor: browser.visitor, at });
  });
  service.outbox.wake();
  return dueAt;
}

interface OpenedLink {
  readonly secret: string;
  /** What only the browser has that opened the link. */
  readonly opener: string | undefined;
  readonly visitor: Visitor;
}

/** Stops a removal with the link in its email. Refuses with `confirmation_link_expired`. */
export async function keepByLink(service: Service, { secret, opener, visitor }: OpenedLink): Promise<void> {
  const step = { name: 'keep_second_step', browser: opener, request: secret };
  // Someone may have requested another removal meanwhile.
  const again = async (accountId: string) =>
    (await removalDueAt(service.store, accountId)) === null ? accountId : undefined;
  await once<string>(service, { step, again }, async (keep) => {
    const accountId = await stopRemovalByLink(service, { secret, visitor, keep });
    if (accountId === undefined) throw refuse(contract.stopRemoval, 'confirmation_link_expired');
    return accountId;
  });
}
