import { spellEmail } from '../../contract/fields/fields.ts';
import { emailKey } from '../../store/accounts/accounts.ts';
import type { Store } from '../../store/database.ts';
import { type BounceKind, type BounceReporter, knownBounces, recordBounce } from '../../store/emails/bounces.ts';
import { addressesOfAccounts, type SuppressionReason, suppressAddress } from '../../store/emails/suppression-list.ts';
import { redactAddresses } from '../compose.ts';

export interface BounceReport {
  /** Unique for its reporter. */
  readonly id: string;
  readonly by: BounceReporter;
  /** `ignored` is recorded, but neither counted nor acted on. */
  readonly kind: BounceKind | 'ignored';
  /** Recipient of the email. */
  readonly email: string;
  /** The wording of the refusing server. */
  readonly detail: string;
}

interface BounceHandlerDeps {
  readonly store: Store;
  readonly now: () => number;
  readonly log: { info(details: object, message: string): void };
  readonly count?: ((returned: { readonly by: BounceReporter; readonly kind: BounceKind }) => void) | undefined;
}

export type BounceHandler = ReturnType<typeof openBounceHandler>;

/** Reports in one transaction: on SQLite, all other writes wait for it. */
const reportsPerTransaction = 2500;

export const openBounceHandler = ({ store, now, log, count }: BounceHandlerDeps) => ({
  /**
   * Records each report once, however often it arrives, and suppresses addresses that would bounce again. A large batch
   * takes several transactions, so that a repeated one continues where the last one ran out of time.
   */
  async take(returned: readonly BounceReport[]): Promise<void> {
    const known = await knownBounces(store, returned.map(keyOf));
    const reports = new Map(returned.filter((one) => !known.has(keyOf(one))).map((one) => [keyOf(one), one]));
    // Sorted, so that batches on two nodes cannot deadlock.
    const keys = [...reports.keys()].sort();
    for (let first = 0; first < keys.length; first += reportsPerTransaction) {
      const some = keys
        .slice(first, first + reportsPerTransaction)
        .map((key) => [key, reports.get(key) as BounceReport] as const);
      for (const { by, kind, detail } of await takeOnce(store, { reports: some, at: now() })) {
        if (kind === 'ignored') continue;
        count?.({ by, kind });
        log.info({ by, kind, said: redactAddresses(detail) }, 'bounce or complaint reported');
      }
    }
  },
});

interface Batch {
  readonly reports: readonly (readonly [key: string, report: BounceReport])[];
  readonly at: number;
}

/** Records reports in one transaction and returns the new ones. */
const takeOnce = (store: Store, { reports, at }: Batch): Promise<BounceReport[]> =>
  store.transaction().execute(async (trx) => {
    const rows = reports.map(([id, { by, kind }]) => ({ id, told_by: by, kind, at }));
    const noted = await recordBounce(trx, rows);
    const fresh = reports.flatMap(([key, report]) => (noted.has(key) ? [report] : []));
    const final = fresh
      .filter(({ kind }) => kind === 'no_such_address' || kind === 'complaint')
      .sort((one, other) => (emailKey(one.email) < emailKey(other.email) ? -1 : 1));
    const ours = await addressesOfAccounts(
      trx,
      final.map(({ email }) => email),
    );
    for (const { by, kind, email, detail } of final) {
      if (!ours.has(emailKey(email))) continue;
      const reason = kind as SuppressionReason;
      await suppressAddress(trx, { email, reason, told_by: by, detail: redactAddresses(detail), at });
    }
    return fresh;
  });

const keyOf = ({ by, id }: Pick<BounceReport, 'by' | 'id'>): string => `${by}:${id}`;

/** Adds a token to `bounces@example.com`: `bounces+TOKEN@example.com` identifies the email that bounces. */
export function returnAddress(address: string, token: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, at)}+${token}${address.slice(at)}`;
}

/** The token in one of our return addresses, even if servers changed its case; undefined for any other address. */
export function tokenIn(address: string, recipient: string): string | undefined {
  const [own, given] = [address, recipient].map((one) => spellEmail(one).toLowerCase()) as [string, string];
  const at = own.lastIndexOf('@');
  const [before, after] = [`${own.slice(0, at)}+`, own.slice(at)];
  if (!given.startsWith(before) || !given.endsWith(after)) return undefined;
  return given.slice(before.length, given.length - after.length);
}

/** Whether it is the return address without a token, to which services may send complaints. */
export const isReturnAddress = (address: string, recipient: string): boolean =>
  spellEmail(address).toLowerCase() === spellEmail(recipient).toLowerCase();
