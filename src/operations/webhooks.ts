import { randomUUID } from 'node:crypto';
import { iso, isoOrNull, seconds } from '../contract/units.ts';
import { type EventType, maxReceivers } from '../contract/webhook-events.ts';
import type { Store } from '../store/database.ts';
import { listDeliveries, retryDeliveries } from '../store/webhooks/deliveries.ts';
import { disabledReceivers, enableReceiver as enable } from '../store/webhooks/record-event.ts';
import {
  addStoredReceiver,
  heldReceivers,
  heldTarget,
  removeStoredReceiver,
  setEvents,
  setTarget,
} from '../store/webhooks/stored-receivers.ts';
import { newSecret, openTarget, type Receiver, receiverId, type Sealing, sealTarget } from '../webhooks/receivers.ts';
import { sendEvent } from '../webhooks/send-event.ts';
import { cursorOf, readCursor, waitsOrNot } from './deliveries.ts';
import { audit, auditAlone, describeDoubts, type Operation } from './operation.ts';

/** The URL without its query, which may contain a secret. */
export const nameOf = ({ url }: Pick<Receiver, 'url'>): string => `${url.origin}${url.pathname}`;

/** What the audit log says about it: its host, since the rest of the URL may contain a secret, and its id. */
const subjectOf = ({ id, url }: Pick<Receiver, 'id' | 'url'>) => ({ subject: `${url.host} (${id})`, subjectId: id });

/** The receivers, and since when and because of whom one is disabled. */
export async function describeReceivers(store: Store, receivers: readonly Receiver[]) {
  const rows = await disabledReceivers(store);
  const disabled = new Map(rows.map(({ id, disabled_at }) => [id, disabled_at]));
  const doubted = await describeDoubts(
    store,
    rows.map((row) => ({ ...row, since: row.disabled_at })),
  );
  return receivers.map((one) => ({
    id: one.id,
    receiver: nameOf(one),
    events: [...one.events],
    secrets: one.secrets.length,
    from_file: one.isFromFile,
    disabled_at: isoOrNull(disabled.get(one.id) ?? null),
    doubt: doubted.find(({ id }) => id === one.id)?.doubt ?? null,
  }));
}

interface WithSecrets {
  readonly secrets: Sealing;
}

interface NewReceiver extends WithSecrets {
  /** That `isReceiverUrl` accepts. */
  readonly url: string;
  readonly events: readonly EventType[];
  /** Those in WEBHOOKS_FILE, among others. */
  readonly receivers: readonly Receiver[];
}

type Added =
  | { readonly state: 'added'; readonly id: string; readonly secret: string }
  | { readonly state: 'exists' | 'full' };

/** Adds a receiver, which gets events from now on. Returns its id, and the only copy of its secret. */
export const addReceiver = (
  { store, ...operation }: Operation,
  { url, events, receivers, secrets }: NewReceiver,
): Promise<Added> =>
  store.transaction().execute(async (trx) => {
    const id = receiverId(url);
    const stored = await heldReceivers(trx);
    const known = new Set([...receivers.filter(({ isFromFile }) => isFromFile), ...stored].map((one) => one.id));
    if (known.has(id)) return { state: 'exists' };
    if (known.size >= maxReceivers) return { state: 'full' };
    const secret = newSecret();
    const target = sealTarget(secrets, { url, secrets: [secret] });
    await addStoredReceiver(trx, { id, target, events: [...new Set(events)], created_at: operation.now });
    // One with this URL that was removed may have responded 410 Gone to its last delivery only later.
    await enable(trx, id);
    await audit(trx, operation, { action: 'webhook_added', ...subjectOf({ id, url: new URL(url) }) });
    return { state: 'added', id, secret };
  });

/** Changes which events a receiver gets from now on; false if operators added none with this id. */
export const changeEvents = (
  { store, ...operation }: Operation,
  { receiver, events }: { readonly receiver: Receiver; readonly events: readonly EventType[] },
): Promise<boolean> =>
  store.transaction().execute(async (trx) => {
    const former = (await heldReceivers(trx)).find(({ id }) => id === receiver.id);
    if (!former) return false;
    const wanted = [...new Set(events)];
    if (wanted.length === former.events.length && wanted.every((one) => former.events.includes(one))) return true;
    await setEvents(trx, { id: receiver.id, events: wanted });
    await audit(trx, operation, { action: 'webhook_changed', ...subjectOf(receiver) });
    return true;
  });

interface OneReceiver extends WithSecrets {
  readonly id: string;
}

const maxSecrets = 2;

/** Adds a secret, which signs beside the former one. */
export const addReceiverSecret = (
  { store, ...operation }: Operation,
  { id, secrets }: OneReceiver,
): Promise<{ readonly state: 'added'; readonly secret: string } | { readonly state: 'full' | 'unknown' }> =>
  store.transaction().execute(async (trx) => {
    const sealed = await heldTarget(trx, id);
    if (sealed === undefined) return { state: 'unknown' };
    const target = openTarget(secrets, sealed);
    if (target.secrets.length >= maxSecrets) return { state: 'full' };
    const secret = newSecret();
    await setTarget(trx, { id, target: sealTarget(secrets, { ...target, secrets: [secret, ...target.secrets] }) });
    await audit(trx, operation, {
      action: 'webhook_secret_added',
      ...subjectOf({ id, url: new URL(target.url) }),
    });
    return { state: 'added', secret };
  });

/** Ends the older of two secrets; false if the receiver is unknown or has only one. */
export const dropOlderReceiverSecret = (
  { store, ...operation }: Operation,
  { id, secrets }: OneReceiver,
): Promise<boolean> =>
  store.transaction().execute(async (trx) => {
    const sealed = await heldTarget(trx, id);
    const target = sealed === undefined ? undefined : openTarget(secrets, sealed);
    const [newest, ...older] = target?.secrets ?? [];
    if (!target || newest === undefined || older.length === 0) return false;
    await setTarget(trx, { id, target: sealTarget(secrets, { ...target, secrets: [newest] }) });
    await audit(trx, operation, {
      action: 'webhook_secret_dropped',
      ...subjectOf({ id, url: new URL(target.url) }),
    });
    return true;
  });

/** Removes a receiver with the events that wait for it; false if operators added none with this id. */
export const removeReceiver = ({ store, ...operation }: Operation, { id, secrets }: OneReceiver): Promise<boolean> =>
  store.transaction().execute(async (trx) => {
    const sealed = await heldTarget(trx, id);
    if (sealed === undefined) return false;
    await removeStoredReceiver(trx, id);
    const { url } = openTarget(secrets, sealed);
    await audit(trx, operation, { action: 'webhook_removed', ...subjectOf({ id, url: new URL(url) }) });
    return true;
  });

/** Less (ms) than a delivery may take: someone waits for it, and after ten seconds pages offer to try again. */
const testTimeout = seconds(8);

/** Sends a receiver an event of the type `webhook.test` now, once. Returns why it did not arrive, if it did not. */
export async function testReceiver(operation: Operation, receiver: Receiver): Promise<string | undefined> {
  await auditAlone(operation, { action: 'webhook_tested', ...subjectOf(receiver) });
  const { now } = operation;
  const signal = AbortSignal.timeout(testTimeout);
  const event = { id: randomUUID(), at: now, type: 'webhook.test', timestamp: now, data: {}, signal };
  return (await sendEvent(receiver, event))?.error;
}

/** Enables a receiver that responded 410 Gone; false if it was not disabled. */
export const enableReceiver = ({ store, ...operation }: Operation, receiver: Receiver): Promise<boolean> =>
  store.transaction().execute(async (trx) => {
    const enabled = await enable(trx, receiver.id);
    if (enabled) await audit(trx, operation, { action: 'webhooks_enabled', ...subjectOf(receiver) });
    return enabled;
  });

/** Makes webhooks due now that were given up or wait for their next attempt. Returns their ids. */
export const retryWebhooks = ({ store, ...operation }: Operation, ids: readonly string[] | 'all'): Promise<string[]> =>
  store.transaction().execute(async (trx) => {
    const retried = await retryDeliveries(trx, { ids, now: operation.now });
    const subject = ids === 'all' ? `all: ${retried.length}` : retried.join(' ');
    if (retried.length > 0) await audit(trx, operation, { action: 'webhooks_retried', subject });
    return retried;
  });

interface DeliveriesQuery {
  readonly receivers: readonly Receiver[];
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** A page of the stored webhooks, the newest first; undefined if the cursor is not one of ours. */
export async function deliveriesPage(store: Store, { receivers, cursor, limit }: DeliveriesQuery) {
  const from = cursor === undefined ? undefined : readCursor(cursor);
  if (cursor !== undefined && !from) return undefined;
  const after = from && { created_at: from.at, id: from.key };
  const found = await listDeliveries(store, { after, max: limit + 1 });
  const names = new Map(receivers.map((one) => [one.id, nameOf(one)]));
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return {
    items: page.map((row) => ({
      id: row.id,
      state: row.sent_at === null ? waitsOrNot(row) : ('delivered' as const),
      type: row.type,
      account: row.account_id,
      receiver: names.get(row.receiver) ?? row.receiver,
      at: iso(row.created_at),
      due_at: iso(row.due_at),
      delivered_at: isoOrNull(row.sent_at),
      attempts: row.attempts,
      last_error: row.last_error,
    })),
    next: last ? cursorOf(last.created_at, last.id) : null,
  };
}
