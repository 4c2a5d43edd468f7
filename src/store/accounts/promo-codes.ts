import { type ExpressionBuilder, sql } from 'kysely';
import { type Database, hasRow, type Store, type StoreTransaction } from '../database.ts';

export interface PromoCodesTable {
  /** In upper case, so that people may type it in any case. */
  code: string;
  /** How many more registrations may use it; null means no limit. */
  uses_left: number | null;
  used: number;
  valid_until: number | null;
  created_at: number;
}

declare module '../database.ts' {
  interface Database {
    promo_codes: PromoCodesTable;
  }
}

const codeKey = (code: string): string => code.normalize('NFKC').toUpperCase();

/** Adds a code; false if it exists. */
export const addPromoCode = (
  store: Store,
  { code, uses, until, at }: { code: string; uses: number | null; until: number | null; at: number },
): Promise<boolean> =>
  hasRow(
    store
      .insertInto('promo_codes')
      .values({ code: codeKey(code), uses_left: uses, used: 0, valid_until: until, created_at: at })
      .onConflict((conflict) => conflict.column('code').doNothing())
      .returning('code'),
  );

/** Whether a code could be used now; it may be used up before the registration. */
export const isPromoCodeUsable = (store: Store, { code, now }: { code: string; now: number }): Promise<boolean> =>
  hasRow(
    store
      .selectFrom('promo_codes')
      .select('code')
      .where('code', '=', codeKey(code))
      .where(hasUses)
      .where(isInTime(now)),
  );

const hasUses = (where: ExpressionBuilder<Database, 'promo_codes'>) =>
  where.or([where('uses_left', 'is', null), where('uses_left', '>', 0)]);

const isInTime = (now: number) => (where: ExpressionBuilder<Database, 'promo_codes'>) =>
  where.or([where('valid_until', 'is', null), where('valid_until', '>', now)]);

/** Uses a code once. Returns the code as stored; undefined if it is unknown, used up or expired. */
export async function usePromoCode(trx: StoreTransaction, code: string, now: number): Promise<string | undefined> {
  const used = await trx
    .updateTable('promo_codes')
    .set({ used: sql`used + 1`, uses_left: sql`uses_left - 1` })
    .where('code', '=', codeKey(code))
    .where(hasUses)
    .where(isInTime(now))
    .returning('code')
    .executeTakeFirst();
  return used?.code;
}

export const pageOfPromoCodes = (store: Store, { after, limit }: { after: string | undefined; limit: number }) =>
  store
    .selectFrom('promo_codes')
    .selectAll()
    .$if(after !== undefined, (codes) => codes.where('code', '>', after ?? ''))
    .orderBy('code')
    .limit(limit)
    .execute();
