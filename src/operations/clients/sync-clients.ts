import { clientSecretHash } from '../../security/client-secrets.ts';
import { addClientSecret, listClientSecrets, removeClientSecret } from '../../store/applications/client-secrets.ts';
import { type Client, listClients, removeClient, saveClient } from '../../store/applications/clients.ts';
import type { StoreTransaction } from '../../store/database.ts';
import { audit, type Operation } from '../operation.ts';
import type { ClientEntry } from './client-entry.ts';
import { clientIn } from './save-client.ts';

/** Numbers of clients that a file added, changed and removed. */
export interface SyncedClients {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

/** Makes the clients of CLIENTS_FILE equal to its entries. Clients that commands added stay, unless an entry has their id. */
export const syncClients = (
  { store, ...operation }: Operation,
  entries: readonly ClientEntry[],
): Promise<SyncedClients> =>
  store.transaction().execute(async (trx) => {
    const known = new Map((await listClients(trx)).map((client) => [client.id, client]));
    const outcomes: (Outcome | undefined)[] = [];
    for (const entry of entries)
      outcomes.push(await saveEntry(trx, operation, { entry, former: known.get(entry.client_id) }));
    const listed = new Set(entries.map((entry) => entry.client_id));
    const gone = [...known.values()].filter(({ id, isFromFile }) => isFromFile && !listed.has(id));
    for (const client of gone) {
      await removeClient(trx, client.id);
      await audit(trx, operation, { action: 'client_removed', subject: subjectOf(client) });
    }
    const count = (outcome: Outcome) => outcomes.filter((one) => one === outcome).length;
    return { added: count('added'), changed: count('changed'), removed: gone.length };
  });

type Outcome = 'added' | 'changed';

/** Undefined if the client already is as the entry says. */
async function saveEntry(
  trx: StoreTransaction,
  operation: Omit<Operation, 'store'>,
  { entry, former }: { entry: ClientEntry; former: Client | undefined },
): Promise<Outcome | undefined> {
  const client = clientIn(entry, { at: former?.createdAt ?? operation.now, isFromFile: true });
  const isChanged = JSON.stringify(former) !== JSON.stringify(client);
  if (isChanged) await saveClient(trx, client);
  const hasOtherSecrets = await setSecrets(trx, { entry, at: operation.now });
  if (!isChanged && !hasOtherSecrets) return undefined;
  await audit(trx, operation, { action: former ? 'client_changed' : 'client_added', subject: subjectOf(client) });
  return former ? 'changed' : 'added';
}

const subjectOf = ({ id, name }: Client) => `${id} (${name})`;

/** Sets the secrets of an entry; true if one of them is new or gone. */
async function setSecrets(trx: StoreTransaction, { entry, at }: { entry: ClientEntry; at: number }): Promise<boolean> {
  const hashes = entry.client_secrets.map((secret) => clientSecretHash(entry.client_id, secret));
  const former = (await listClientSecrets(trx, entry.client_id)).map(({ hash }) => hash);
  const [gone, fresh] = [
    former.filter((hash) => !hashes.includes(hash)),
    hashes.filter((hash) => !former.includes(hash)),
  ];
  for (const hash of gone) await removeClientSecret(trx, hash);
  for (const hash of fresh) await addClientSecret(trx, { hash, client_id: entry.client_id, created_at: at });
  return gone.length + fresh.length > 0;
}
