import { released } from '../../../browser/forms/released.ts';
import { suggestAddress } from './mail-domains.ts';

/** The address that the user may have meant, once a click that left the field has hit its button. */
export async function suggestOnceReleased(typed: string): Promise<string | undefined> {
  await released();
  return suggestAddress(typed);
}
