import type { KeyEncryption } from '../security/macs.ts';
import { lastSettings, replaceSettings } from '../store/operators/settings-seen.ts';
import { audit, type Operation } from './operation.ts';

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
