import { emailKey } from '../../store/accounts/email-key.ts';
import type { Store } from '../../store/database.ts';
import { type BounceKind, type BounceReporter, knownBounces, recordBounce } from '../../store/emails/bounces.ts';
import { addressesOfAccounts, type SuppressionReason, suppressAddress } from '../../store/emails/suppression-list.ts';
import { redactAddresses } from '../redact-addresses.ts';

/** One report that a letter came back. */
export interface BounceReport {
  /** Unique at whoever tells it. */
  readonly id: string;
  readonly by: BounceReporter;
  /** `ignored` is noted and neither counted nor acted on. */
  readonly kind: BounceKind | 'ignored';
  /** Who it was for. */
  readonly email: string;
  /** In the words of whoever refused it. */
  readonly detail: string;
}

interface BounceHandlerDeps {
  readonly store: Store;
  readonly now: () => number;
  readonly log: { info(details: object, message: string): void };
  readonly count?: ((returned: { readonly by: BounceReporter; readonly kind: BounceKind }) => void) | undefined;
}

/** Where all reports arrive. */
export interface BounceHandler {
  /**
   * Notes what came back, each report once however often it arrives, and stops sending where an email would come back again.
   * A large batch takes several transactions, so that one that ran out of time continues where it ended.
   */
  take(returned: readonly BounceReport[]): Promise<void>;
}

/** Reports in one transaction: on SQLite everybody else's writes wait for it. */
const reportsPerTransaction = 2500;

export const openBounceHandler = ({ store, now, log, count }: BounceHandlerDeps): BounceHandler => ({
  async take(returned) {
    const known = await knownBounces(store, returned.map(keyOf));
    const reports = new Map(returned.filter((one) => !known.has(keyOf(one))).map((one) => [keyOf(one), one]));
    // In one order, so that batches on two nodes never wait for each other in a circle.
    const keys = [...reports.keys()].sort();
    for (let first = 0; first < keys.length; first += reportsPerTransaction) {
      const some = keys
        .slice(first, first + reportsPerTransaction)
        .map((key) => [key, reports.get(key) as BounceReport] as const);
      for (const { by, kind, detail } of await takeOnce(store, { reports: some, at: now() })) {
        if (kind === 'ignored') continue;
        count?.({ by, kind });
        log.info({ by, kind, said: redactAddresses(detail) }, 'a mail came back');
      }
    }
  },
});

interface Batch {
  readonly reports: readonly (readonly [key: string, report: BounceReport])[];
  readonly at: number;
}

/** Takes reports in one transaction, and returns those that are new. */
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
