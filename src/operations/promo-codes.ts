import { iso, isoOrNull } from '../contract/units.ts';
import { addPromoCode as addCode, pageOfPromoCodes } from '../store/accounts/promo-codes.ts';
import type { Store } from '../store/database.ts';
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

/** A page of the promo codes, in their order. */
export async function promoCodesPage(store: Store, { cursor, limit }: { cursor?: string | undefined; limit: number }) {
  const after = cursor === undefined ? undefined : Buffer.from(cursor, 'base64url').toString().replaceAll('\0', '');
  const found = await pageOfPromoCodes(store, { after, limit: limit + 1 });
  const items = found.slice(0, limit).map(({ code, uses_left, used, valid_until, created_at }) => ({
    ...{ code, uses_left, used },
    valid_until: isoOrNull(valid_until),
    created_at: iso(created_at),
  }));
  return { items, next: found.length > limit ? Buffer.from(items.at(-1)?.code ?? '').toString('base64url') : null };
}
