import { Failure } from '../contract/failures.ts';
import type { ActorKind, OperatorAction } from '../contract/operators.ts';
import { iso } from '../contract/units.ts';
import { accountsAmong } from '../store/accounts/list-accounts.ts';
import type { Store, StoreTransaction } from '../store/database.ts';
import { addAuditEntry } from '../store/operators/audit-log.ts';
import { listKeys, roleOf } from '../store/operators/operators.ts';
import type { Visitor } from '../store/visitor.ts';

/** Who acts, from where and why. */
export interface Operator {
  readonly kind: ActorKind;
  /** A user of the operating system, the account of an operator, or the id of a key. */
  readonly actor: string;
  readonly origin: string;
  readonly reason: string | undefined;
  /**
   * Runs in the transaction of each act: throws if the operator has lost the role or the key meanwhile, or has done this
   * already.
   */
  readonly confirm?: (trx: StoreTransaction) => Promise<void>;
}

/** The arguments of every operator decision. */
export interface Operation {
  readonly store: Store;
  readonly operator: Operator;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

interface Act {
  readonly action: OperatorAction;
  readonly accountId?: string;
  /** Without a full address. */
  readonly subject: string;
  /** The id in the subject, if programs need to find the object. */
  readonly subjectId?: string;
}

/** What support may also do with the account of an operator; the last one is the operator's own act. */
const harmless: readonly OperatorAction[] = [
  ...(['accounts_found', 'account_viewed', 'devices_viewed', 'contact_revealed', 'account_exported'] as const),
  ...(['note_added', 'operator_added'] as const),
];

/**
 * Adds an entry to the audit log: it commits or rolls back with the change that it describes. Throws if the account is
 * that of an operator and the change needs an owner: support would become one by a reset link to another address.
 */
export async function audit(
  trx: StoreTransaction,
  { operator, now }: Omit<Operation, 'store'>,
  { action, accountId, subject, subjectId }: Act,
): Promise<void> {
  await operator.confirm?.(trx);
  if (accountId !== undefined && !harmless.includes(action) && (await needsOwner(trx, { operator, accountId })))
    throw new Failure('role_insufficient');
  await addAuditEntry(trx, {
    at: now,
    actor_kind: operator.kind,
    actor: operator.actor,
    origin: operator.origin,
    action,
    account_id: accountId ?? null,
    subject,
    subject_id: subjectId ?? null,
    reason: operator.reason ?? null,
  });
}

async function needsOwner(
  trx: StoreTransaction,
  { operator: { kind, actor }, accountId }: { readonly operator: Operator; readonly accountId: string },
): Promise<boolean> {
  if (kind !== 'key' && kind !== 'operator') return false;
  if ((await roleOf(trx, accountId)) === undefined) return false;
  return kind === 'key' || (await roleOf(trx, actor)) !== 'owner';
}

/** The same, for what happens outside the database, such as a backup. */
export const auditAlone = ({ store, ...operation }: Operation, act: Act): Promise<void> =>
  store.transaction().execute((trx) => audit(trx, operation, act));

/** `ada@mail.example` → `a***@mail.example`: enough to recognize someone who complains. */
export const masked = (address: string): string => address.replace(/^(.).*(@[^@]*)$/su, '$1***$2');

interface Acted {
  readonly actor_kind: ActorKind;
  readonly actor: string;
}

/** Looks up the names of operators and keys that did something. Null for others, and for deleted operators. */
export async function actorNames(store: Store, acts: readonly Acted[]): Promise<(act: Acted) => string | null> {
  const idsOf = (kind: ActorKind) => acts.flatMap(({ actor_kind, actor }) => (actor_kind === kind ? [actor] : []));
  const ids = [...new Set(idsOf('operator'))];
  const accounts = ids.length === 0 ? [] : await accountsAmong(store, { ids, filter: {} });
  const keys = idsOf('key').length === 0 ? [] : await listKeys(store);
  const names: Partial<Record<ActorKind, ReadonlyMap<string, string>>> = {
    operator: new Map(accounts.map(({ id, name, email }) => [id, name || masked(email)])),
    key: new Map(keys.map(({ id, name }) => [id, name])),
  };
  return ({ actor_kind, actor }) => names[actor_kind]?.get(actor) ?? null;
}

/** An operator who lost access or the role soon after giving something to others, and since when (ms since the epoch) we doubt it. */
interface Doubted {
  readonly doubted_by: string | null;
  readonly since: number | null;
}

/** Describes doubts, each with the name of its operator. */
export async function describeDoubts<D extends Doubted>(store: Store, doubted: readonly D[]) {
  const by = ({ doubted_by }: D) => ({ actor_kind: 'operator', actor: doubted_by ?? '' }) as const;
  const nameOf = await actorNames(store, doubted.map(by));
  return doubted.flatMap((one) =>
    one.doubted_by === null
      ? []
      : [{ ...one, doubt: { by: one.doubted_by, name: nameOf(by(one)), since: iso(Number(one.since)) } }],
  );
}

/** How an operator's action appears in the account's own activity. */
export const operatorVisit: Pick<Visitor, 'ip' | 'userAgent'> = { ip: '', userAgent: 'vestibule' };
