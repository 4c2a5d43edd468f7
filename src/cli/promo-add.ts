import { iso } from '../contract/iso-time.ts';
import { promoCodeMinLength, textLimit } from '../contract/limits.ts';
import { addPromoCode } from '../store/promo-codes.ts';
import { type StoreCommand, UsageError } from './command.ts';

export const promoAdd: StoreCommand = {
  name: ['promo', 'add'],
  usage: 'promo add CODE [--uses N] [--until DATE]',
  summary: 'let registrations use a promo code',
  options: { uses: { type: 'string' }, until: { type: 'string' } },
  async run({ store, now, positionals, options }) {
    const [code = '', ...more] = positionals;
    if (more.length > 0 || code.length < promoCodeMinLength || code.length >= textLimit) {
      throw new UsageError(`promo add CODE: one code of ${promoCodeMinLength} to ${textLimit - 1} characters`);
    }
    const uses = readUses(options.uses);
    const until = readDate(options.until, now);
    if (!(await addPromoCode(store, { code, uses, until, at: now }))) throw new UsageError(`${code} exists already`);
    const limits = [
      uses === null ? 'any number of registrations' : `${uses} registrations`,
      until === null ? 'without end' : `until ${iso(until)}`,
    ];
    return { text: `${code}: ${limits.join(', ')}`, data: { code, uses, until } };
  },
};

function readUses(text: unknown): number | null {
  if (text === undefined) return null;
  const uses = Number(text);
  if (!Number.isInteger(uses) || uses < 1) throw new UsageError('--uses N: a whole number from 1 on');
  return uses;
}

/** A day counts to its end, in UTC. Milliseconds since the epoch. */
function readDate(text: unknown, now: number): number | null {
  if (text === undefined) return null;
  const day = /^\d{4}-\d{2}-\d{2}$/.test(String(text));
  const until = Date.parse(day ? `${text}T23:59:59.999Z` : String(text));
  if (Number.isNaN(until) || until <= now) throw new UsageError('--until DATE: a day to come, such as 2027-12-31');
  return until;
}
