import { addPromoCode as addCode } from '../store/accounts/promo-codes.ts';
import { audit, type Operation } from './operation.ts';

interface PromoCode {
  readonly code: string;
  /** How many registrations may use it; null for no limit. */
  readonly uses: number | null;
  /** Milliseconds since the epoch; null if it never expires. */
  readonly until: number | null;
}

/** Adds a promo code for registrations; false if it already exists. */
export const addPromoCode = ({ store, ...operation }: Operation, promo: PromoCode): Promise<boolean> =>
  store.transaction().execute(async (trx) => {
    if (!(await addCode(trx, { ...promo, at: operation.now }))) return false;
    await audit(trx, operation, { action: 'promo_code_added', subject: promo.code });
    return true;
  });
