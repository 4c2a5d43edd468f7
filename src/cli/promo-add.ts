import { promoCodeMinLength, textLimit } from '../contract/fields/field-sizes.ts';
import { promoCode } from '../contract/fields/fields.ts';
import { iso } from '../contract/units.ts';
import { addPromoCode } from '../operations/promo-codes.ts';
import { counted } from '../server/doctor/finding.ts';
import { operationOf, readNumber, readPeriod, reasonOption, type StoreCommand, UsageError } from './command.ts';

export const promoAdd: StoreCommand = {
  usage: 'promo add CODE',
  summary: 'add a promo code for registrations',
  example: 'promo add SUMMER26 --uses 100 --until 2027-12-31',
  options: {
    uses: { type: 'string', value: 'N', help: 'how many registrations may use it; unlimited if absent' },
    until: { type: 'string', value: 'DATE', help: 'the last day or moment (ISO 8601); no end if absent' },
    ...reasonOption,
  },
  async run(given) {
    const { now, positionals, options } = given;
    const [written, ...more] = positionals;
    // Parsed as in the form, which trims: no user could enter a code that ends with a space.
    const { data: code } = promoCode.safeParse(written);
    if (more.length > 0 || code === undefined) {
      throw new UsageError(`promo add CODE: one code of ${promoCodeMinLength} to ${textLimit - 1} characters`);
    }
    const uses = readNumber(options, 'uses', { to: maxUses, usual: null });
    const until = readDate(options.until, now);
    if (!(await addPromoCode(operationOf(given), { code, uses, until })))
      throw new UsageError(`${code} already exists`);
    const limits = [
      uses === null ? 'any number of registrations' : counted(uses, 'registration'),
      until === null ? 'no end date' : `until ${iso(until)}`,
    ];
    return { text: `${code}: ${limits.join(', ')}`, data: { code, uses, until } };
  },
};

/** Fits an integer column of both engines. */
const maxUses = 999_999_999;

/** A date includes the whole day, in UTC. */
function readDate(text: unknown, now: number): number | null {
  if (text === undefined) return null;
  const until = readPeriod(String(text))?.last ?? 0;
  if (until <= now) throw new UsageError('--until DATE: a future date, such as 2027-12-31');
  return until;
}
