import type { FieldFailure } from '../../../contract/failures.ts';
import type { PageSettings } from '../../../contract/settings.ts';
import { readTypedPhone } from '../../../ui/fields/phone/phone-field.tsx';

interface Rules {
  /** Default country of numbers without a country code. */
  readonly region: string;
  readonly phoneConfirmation: PageSettings['phoneConfirmation'];
}

/** Errors of a number and its confirmation that the form's schema cannot detect. */
export async function checkPhone(
  { phone, phone_confirmation }: { phone: string; phone_confirmation: string },
  { region, phoneConfirmation }: Rules,
): Promise<FieldFailure[]> {
  // A wrong or missing number cannot be confirmed, so it yields one error, not two.
  if (phone.trim() === '') return [];
  if (!(await readTypedPhone(phone, region))) return [{ field: 'phone', code: 'phone_invalid' }];
  const unconfirmed = phoneConfirmation === 'required' && phone_confirmation === '';
  return unconfirmed ? [{ field: 'phone_confirmation', code: 'phone_not_confirmed' }] : [];
}
