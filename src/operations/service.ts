import { setTimeout as pause } from 'node:timers/promises';
import { iso, isoOrNull, seconds } from '../contract/units.ts';
import type { KeyEncryption } from '../security/macs.ts';
import { usableKeys } from '../store/access/keys.ts';
import { columnsOfKeys, otherSealedColumns, replaceSealed } from '../store/access/sealed-secrets.ts';
import type { Store } from '../store/database.ts';
import { lastSettings, listNodes, replaceSettings } from '../store/operators/nodes.ts';
import { audit, type Operation } from './operation.ts';

/** The nodes of the last day, the oldest first. */
export const describeNodes = async (store: Store) =>
  (await listNodes(store)).map(({ name, version, started_at, seen_at }) => ({
    ...{ name, version },
    started_at: iso(started_at),
    seen_at: iso(seen_at),
  }));

/** The keys that sign sessions and proofs, the newest first, without their secrets. */
export const describeSigningKeys = async (store: Store, now: number) =>
  (await usableKeys(store, now)).map(({ id, purpose, created_at, retired_at }) => ({
    ...{ id, purpose },
    created_at: iso(created_at),
    verifies_until: isoOrNull(retired_at),
  }));

/** Longer than every node takes to read the keys again, and then to seal with the secret that seals them. */
const nodesFollowWithin = seconds(15);

/**
 * Seals every stored secret with the present SECRET_KEY; returns how many it changed. The keys come first: nodes seal with
 * the secret that seals the newest key, so once they have read them, no more secrets are sealed with the former one.
 */
export async function resealSecrets({ store, ...operation }: Operation, secrets: KeyEncryption): Promise<number> {
  const again = (sealed: string) => (secrets.isCurrent(sealed) ? sealed : secrets.sealCurrent(secrets.open(sealed)));
  const keys = await store.transaction().execute(async (trx) => {
    const count = await replaceSealed(trx, columnsOfKeys, again);
    await audit(trx, operation, { action: 'keys_resealed', subject: `${count} keys` });
    return count;
  });
  if (keys > 0) await pause(nodesFollowWithin);
  return keys + (await replaceSealed(store, otherSealedColumns, again));
}

interface Setting {
  readonly name: string;
  /** Null if it is not set, or secret. */
  readonly value: string | null;
  readonly secret: boolean;
  /** With secrets. */
  readonly text: string;
}

interface Started {
  readonly settings: readonly Setting[];
  readonly secrets: Pick<KeyEncryption, 'seal' | 'open'>;
}

/** Nodes have their own. */
const ofNode: ReadonlySet<string> = new Set(['HOST', 'PORT', 'METRICS_PORT', 'DATA_DIR', 'BOUNCE_LISTEN', 'LOG_LEVEL']);

/** Adds an entry to the audit log if settings differ from those of the last start, with the values that are no secrets. */
export async function recordSettings(
  { store, ...operation }: Operation,
  { settings, secrets }: Started,
): Promise<void> {
  const shared = settings.filter(({ name }) => !ofNode.has(name));
  const former = await lastSettings(store);
  const known = former === undefined ? undefined : opened(former, secrets);
  const changed = shared.filter(({ name, text }) => known && (known[name] ?? '') !== text);
  if (known && changed.length === 0) return;
  // Without the former secret, nobody knows what else has changed.
  const subject = former !== undefined && !known ? 'SECRET_KEY' : changed.map(describe).join(', ');
  const sealed = secrets.seal(
    Buffer.from(JSON.stringify(Object.fromEntries(shared.map((one) => [one.name, one.text])))),
  );
  await store.transaction().execute(async (trx) => {
    if (!(await replaceSettings(trx, { former, settings: sealed, at: operation.now })) || subject === '') return;
    await audit(trx, operation, { action: 'settings_changed', subject });
  });
}

function opened(sealed: string, secrets: Started['secrets']): Record<string, string> | undefined {
  try {
    return JSON.parse(secrets.open(sealed).toString()) as Record<string, string>;
  } catch {
    return undefined;
  }
}

const longestValue = 100;

const describe = ({ name, value, secret, text }: Setting): string => {
  if (text === '') return `${name} removed`;
  return secret ? name : `${name}=${(value ?? '').slice(0, longestValue)}`;
};
