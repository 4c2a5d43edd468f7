import type { Store } from '../../store/database.ts';
import { knownReturned, noteReturned, type Returner, type ReturnKind } from '../../store/letters/returned-letters.ts';
import { suppressAddress } from '../../store/letters/unreachable-addresses.ts';
import { withoutAddresses } from '../without-addresses.ts';

/** One report that a letter came back. */
export interface Returned {
  /** Unique at whoever tells it. */
  readonly id: string;
  readonly by: Returner;
  readonly kind: ReturnKind;
  /** Who it was for. */
  readonly email: string;
  /** In the words of whoever refused it. */
  readonly detail: string;
}

interface ReturnsDeps {
  readonly store: Store;
  readonly now: () => number;
  readonly log: { info(details: object, message: string): void };
  readonly count?: ((returned: Pick<Returned, 'by' | 'kind'>) => void) | undefined;
}

/** Where all reports arrive. */
export interface Returns {
  /** Notes what came back, each report once, and has nothing more sent where that would come back, too. */
  take(returned: Returned): Promise<void>;
  /** Those that were not taken yet: so a batch that is told again, because it took too long, is over one day. */
  newAmong(returned: readonly Returned[]): Promise<readonly Returned[]>;
}

export const openReturns = ({ store, now, log, count }: ReturnsDeps): Returns => ({
  async take({ id, by, kind, email, detail }) {
    const at = now();
    const said = withoutAddresses(detail);
    const isNew = await store.transaction().execute(async (trx) => {
      if (!(await noteReturned(trx, { id: keyOf({ by, id }), told_by: by, kind, at }))) return false;
      if (kind === 'no_such_address' || kind === 'complaint')
        await suppressAddress(trx, { email, reason: kind, told_by: by, detail: said, at });
      return true;
    });
    if (!isNew) return;
    count?.({ by, kind });
    log.info({ by, kind, said }, 'a mail came back');
  },
  async newAmong(returned) {
    const known = await knownReturned(store, returned.map(keyOf));
    return returned.filter((one) => !known.has(keyOf(one)));
  },
});

const keyOf = ({ by, id }: Pick<Returned, 'by' | 'id'>): string => `${by}:${id}`;
