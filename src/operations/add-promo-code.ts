import { addPromoCode as addCode } from '../store/accounts/promo-codes.ts';
import { audit, type Operation } from './operation.ts';

interface PromoCode {
  readonly code: string;
  /** Registrations that may use it; null is without limit. */
  readonly uses: number | null;
  /** Milliseconds since the epoch; null is for good. */
  readonly until: number | null;
}

/** Lets registrations use a promo code; false where it exists. */
export const addPromoCode = ({ store, ...operation }: Operation, promo: PromoCode): Promise<boolean> =>
  store.transaction().execute(async (trx) => {
    if (!(await addCode(trx, { ...promo, at: operation.now }))) return false;
    await audit(trx, operation, { action: 'promo_code_added', subject: promo.code });
    return true;
  });
