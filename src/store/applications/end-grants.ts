import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { type Database, orderedId, type Store } from '../database.ts';
import type { Client } from './clients.ts';
import { addLogoutNotices } from './logout-notices.ts';

type Where = (grant: ExpressionBuilder<Database, 'client_grants'>) => Expression<SqlBool>;

interface GrantsEnd {
  readonly at: number;
  /** False if the application itself ended the grant. */
  readonly notifies?: boolean;
}

/** Ends grants with their codes and tokens, and notifies each application that registered for it (back-channel logout). */
async function endGrants(store: Store, where: Where, { at, notifies = true }: GrantsEnd): Promise<number> {
  const ended = await store
    .deleteFrom('client_grants')
    .where(where)
    .returning(['id', 'client_id', 'account_id', 'sid'])
    .execute();
  for (let from = 0; from < ended.length; from += batchSize) {
    const batch = ended.slice(from, from + batchSize);
    const ids = batch.map(({ id }) => id);
    await store.deleteFrom('openid_records').where('grant_id', 'in', ids).execute();
    if (notifies) await notify(store, batch, at);
  }
  return ended.length;
}

/** In one statement: far below the number of parameters that either database allows. */
const batchSize = 1000;

async function notify(
  store: Store,
  ended: readonly { readonly client_id: string; readonly account_id: string; readonly sid: string }[],
  at: number,
): Promise<void> {
  const listening = await store
    .selectFrom('clients')
    .select('id')
    .where('id', 'in', [...new Set(ended.map(({ client_id }) => client_id))])
    .where('backchannel_logout_uri', 'is not', null)
    .execute();
  const notices = ended
    .filter(({ client_id }) => listening.some(({ id }) => id === client_id))
    .map(({ client_id, account_id, sid }) => ({
      id: orderedId(),
      client_id,
      subject: account_id,
      sid,
      created_at: at,
    }));
  if (notices.length > 0) await addLogoutNotices(store, notices);
}

export const endGrant = (store: Store, id: string, ending: GrantsEnd) =>
  endGrants(store, (grant) => grant('id', '=', id), ending);

/**
 * Ends the grants of a session, and of the devices that it let in. After an ordinary sign-out, those that outlive their
 * session stay, although their applications are notified (OpenID Connect Back-Channel Logout 1.0, section 2.7).
 */
export async function endGrantsOfSession(
  store: Store,
  { sessionId, at, keepsOffline }: { sessionId: string; at: number; keepsOffline: boolean },
): Promise<void> {
  await endGrants(
    store,
    (grant) =>
      keepsOffline
        ? grant.and([grant('session_id', '=', sessionId), grant('offline', '=', 0)])
        : grant.or([grant('session_id', '=', sessionId), grant('approved_in', '=', sessionId)]),
    { at },
  );
  if (!keepsOffline) return;
  const staying = await store
    .selectFrom('client_grants')
    .select(['client_id', 'account_id', 'sid'])
    .where('session_id', '=', sessionId)
    .execute();
  if (staying.length > 0) await notify(store, staying, at);
}

/** Ends the grants of an account; those of one session may stay. */
export const endGrantsOfAccount = (
  store: Store,
  { accountId, exceptSession, at }: { accountId: string; exceptSession?: string | undefined; at: number },
) =>
  endGrants(
    store,
    (grant) =>
      exceptSession === undefined
        ? grant('account_id', '=', accountId)
        : grant.and([
            grant('account_id', '=', accountId),
            grant.or([grant('session_id', 'is', null), grant('session_id', '!=', exceptSession)]),
          ]),
    { at },
  );

/** Ends what one application may do for an account. */
export const endGrantsOfClient = (
  store: Store,
  { accountId, clientId, at }: { accountId: string; clientId: string; at: number },
) =>
  endGrants(store, (grant) => grant.and([grant('account_id', '=', accountId), grant('client_id', '=', clientId)]), {
    at,
  });

/**
 * Ends what an application may do for accounts that it does not admit, or for one of them. Runs after the change of groups,
 * in its transaction.
 */
export async function endGrantsNotAdmitted(
  store: Store,
  { client, accountId, at }: { client: Pick<Client, 'id' | 'groups'>; accountId?: string; at: number },
): Promise<number> {
  if (client.groups.length === 0) return 0;
  return endGrants(
    store,
    (grant) =>
      grant.and([
        grant('client_id', '=', client.id),
        ...(accountId === undefined ? [] : [grant('account_id', '=', accountId)]),
        grant.not(
          grant.exists(
            grant
              .selectFrom('account_groups')
              .select('name')
              .whereRef('account_groups.account_id', '=', 'client_grants.account_id')
              .where('name', 'in', client.groups),
          ),
        ),
      ]),
    { at },
  );
}
