import { clientSecretHash } from '../../security/client-secrets.ts';
import { randomSecret } from '../../security/secrets.ts';
import {
  addClientSecret,
  listClientSecrets,
  removeClientSecret,
  secretsPerClient,
} from '../../store/applications/client-secrets.ts';
import {
  type Client,
  findClient,
  holdAndFindClient,
  removeClient as remove,
  saveClient,
} from '../../store/applications/clients.ts';
import { audit, type Operation } from '../operation.ts';
import type { ClientEntry } from './client-entry.ts';

/** The client that an entry describes. */
export const clientIn = (entry: ClientEntry, { at, isFromFile }: { at: number; isFromFile: boolean }): Client => ({
  id: entry.client_id,
  name: entry.client_name,
  redirectUris: entry.redirect_uris,
  postLogoutUris: entry.post_logout_redirect_uris,
  backchannelLogoutUri: entry.backchannel_logout_uri,
  groups: entry.groups,
  resources: entry.resources,
  signing: entry.id_token_signed_response_alg,
  isPublic: entry.public,
  isFirstParty: entry.first_party,
  isService: entry.service,
  usesDeviceFlow: entry.device,
  claimsInIdToken: entry.claims_in_id_token,
  isFromFile,
  createdAt: at,
});

/** Adds a client. Returns its only copy of the secret; undefined for a public client. */
export const addClient = ({ store, ...operation }: Operation, entry: ClientEntry): Promise<string | undefined> =>
  store.transaction().execute(async (trx) => {
    const { now } = operation;
    await saveClient(trx, clientIn(entry, { at: now, isFromFile: false }));
    const secret = entry.public ? undefined : randomSecret(256);
    if (secret !== undefined)
      await addClientSecret(trx, {
        hash: clientSecretHash(entry.client_id, secret),
        client_id: entry.client_id,
        created_at: now,
      });
    await audit(trx, operation, { action: 'client_added', subject: describe(entry.client_id, entry.client_name) });
    return secret;
  });

const describe = (id: string, name: string) => `${id} (${name})`;

export type SecretOutcome =
  | { readonly state: 'added'; readonly secret: string }
  | { readonly state: 'full' | 'public' | 'from file' | 'unknown' };

/** Adds a second secret beside the first. */
export const addSecret = ({ store, ...operation }: Operation, clientId: string): Promise<SecretOutcome> =>
  store.transaction().execute(async (trx) => {
    // Another operator may add one at the same time.
    const client = await holdAndFindClient(trx, clientId);
    if (!client) return { state: 'unknown' };
    if (client.isFromFile) return { state: 'from file' };
    if (client.isPublic) return { state: 'public' };
    if ((await listClientSecrets(trx, clientId)).length >= secretsPerClient) return { state: 'full' };
    const secret = randomSecret(256);
    await addClientSecret(trx, {
      hash: clientSecretHash(clientId, secret),
      client_id: clientId,
      created_at: operation.now,
    });
    await audit(trx, operation, { action: 'client_secret_added', subject: describe(clientId, client.name) });
    return { state: 'added', secret };
  });

/** Ends the older of two secrets; false if the client has only one, which would lock it out. */
export const dropOlderSecret = ({ store, ...operation }: Operation, clientId: string): Promise<boolean> =>
  store.transaction().execute(async (trx) => {
    const [older, newer] = await listClientSecrets(trx, clientId);
    const client = await findClient(trx, clientId);
    if (!older || !newer || !client || client.isFromFile) return false;
    await removeClientSecret(trx, older.hash);
    await audit(trx, operation, { action: 'client_secret_dropped', subject: describe(clientId, client.name) });
    return true;
  });

/** Removes a client and everything that it was granted; false if there is none. */
export const removeClient = ({ store, ...operation }: Operation, clientId: string): Promise<boolean> =>
  store.transaction().execute(async (trx) => {
    const client = await findClient(trx, clientId);
    if (!client || !(await remove(trx, clientId))) return false;
    await audit(trx, operation, { action: 'client_removed', subject: describe(clientId, client.name) });
    return true;
  });
