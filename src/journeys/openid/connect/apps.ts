import type { ResponseBody } from '../../../contract/endpoint.ts';
import { iso } from '../../../contract/iso-time.ts';
import { knownScopes } from '../../../contract/openid-scopes.ts';
import { refuse } from '../../../contract/refuse.ts';
import type { Service } from '../../../server/service.ts';
import { connectionsOfAccount, disconnectClient } from '../../../store/applications/connected-clients.ts';
import { endGrantsOfClient } from '../../../store/applications/end-grants.ts';
import type { StoreTransaction } from '../../../store/database.ts';
import { disconnectApp, type listApps } from './connect.contract.ts';

const mostShown = 200;

/** The connected applications of an account with their scopes, the last used first. */
export async function appsOf({ store }: Service, accountId: string): Promise<ResponseBody<typeof listApps>> {
  const connections = await connectionsOfAccount(store, { accountId, most: mostShown });
  return {
    apps: connections.map(({ client_id, name, scopes, connected_at, last_used_at }) => ({
      id: client_id,
      name,
      scopes: knownScopes(scopes),
      connected_at: iso(connected_at),
      last_used_at: iso(last_used_at),
    })),
  };
}

/** Ends the grants of an application for an account, signs the account out there, and forgets the consent. */
export async function disconnect(
  trx: StoreTransaction,
  { accountId, clientId, at }: { readonly accountId: string; readonly clientId: string; readonly at: number },
): Promise<void> {
  await endGrantsOfClient(trx, { accountId, clientId, at });
  if (!(await disconnectClient(trx, { accountId, clientId }))) throw refuse(disconnectApp, 'not_found');
}
