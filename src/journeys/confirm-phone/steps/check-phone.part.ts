import type { FieldFailure } from '../../../contract/failures.ts';
import type { PageSettings } from '../../../contract/settings.ts';
import { readTypedPhone } from '../../../ui/fields/phone-field.tsx';

interface TypedPhone {
  readonly phone: string;
  readonly phone_confirmation: string;
}

interface Rules {
  /** The country that counts for a number without one. */
  readonly region: string;
  readonly phoneConfirmation: PageSettings['phoneConfirmation'];
}

/** What is wrong with a number and its confirmation, beyond what the form's schema knows. */
export async function checkPhone(
  { phone, phone_confirmation }: TypedPhone,
  { region, phoneConfirmation }: Rules,
): Promise<FieldFailure[]> {
  // Somebody whose number is wrong or missing cannot confirm it: that is one thing to mend, not two.
  if (phone.trim() === '') return [];
  if (!(await readTypedPhone(phone, region))) return [{ field: 'phone', code: 'phone_invalid' }];
  const unconfirmed = phoneConfirmation === 'required' && phone_confirmation === '';
  return unconfirmed ? [{ field: 'phone_confirmation', code: 'phone_not_confirmed' }] : [];
}
