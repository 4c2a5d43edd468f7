import { forgetIdempotencyKey, idempotencyKeyFor } from '../../../browser/requests/idempotency-key.ts';
import { RequestFailure } from '../../../browser/requests/request-failure.ts';
import { sendRequest as send } from '../../../browser/requests/send-request.ts';
import { seconds } from '../../../contract/durations.ts';
import type { FieldFailure } from '../../../contract/failures.ts';
import type { LanguageCode } from '../../../contract/languages.ts';
import { writeReadPhone } from '../../../ui/fields/phone/phone-field.tsx';
import { type AwaitedCall, hasDigits, type Way } from './kept-call.part.ts';

interface ConfirmationInput {
  readonly way: Way;
  /** In E.164; `written` is formatted. */
  readonly number: string;
  readonly written: string;
  /** Recipient of a link. */
  readonly email: string;
  readonly registers: boolean | undefined;
  readonly locale: LanguageCode;
  /** The call that is already pending. */
  readonly before: AwaitedCall | undefined;
}

/** The user may still type the digits of an earlier call. */
const lengthsWith = (digits: number, before: AwaitedCall | undefined): readonly number[] => [
  ...new Set([digits, ...(before && !before.ended && hasDigits(before.way) ? before.lengths : [])]),
];
const inOnePiece = (number: string) => number.replaceAll(' ', '\u00a0');

const contract = () => import('../confirm-phone.contract.ts');

/** Requests a call, a message or a link; resolves to the pending call. */
export async function requestConfirmation(
  { way, number, written, email, registers, locale, before }: ConfirmationInput,
  signal: AbortSignal,
): Promise<AwaitedCall> {
  const { requestCall, requestMail } = await contract();
  const asked = { phone: number, locale, attempt: idempotencyKeyFor('call') };
  const {
    call: id,
    resend_in,
    number: dial,
    digits,
    ways,
  } = way === 'mail'
    ? await send(requestMail, { body: { ...asked, email }, signal })
    : await send(requestCall, { body: { ...asked, way, email: (registers && email.trim()) || undefined }, signal });
  forgetIdempotencyKey('call');
  const toDial = dial && inOnePiece(await writeReadPhone(dial));
  const to = way === 'mail' ? email.trim() : inOnePiece(written);
  const lengths = lengthsWith(digits, before);
  return { id, way, to, number: toDial, lengths, ways, resendAt: Date.now() + seconds(resend_in) };
}

/**
 * Sends the digits of a call; resolves to the confirmation. Throws `RequestFailure`, including for malformed digits.
 */
export async function compareDigits(call: AwaitedCall, digits: string, signal: AbortSignal): Promise<string> {
  const [{ confirmDigits, misfitAmong }, { checkForm }] = await Promise.all([
    contract(),
    import('../../../browser/forms/form-check.ts'),
  ]);
  const body = { call: call.id, digits };
  const misfit = misfitAmong(digits, call.lengths);
  const fields: readonly FieldFailure[] = misfit
    ? [{ field: 'digits', code: misfit }]
    : checkForm(confirmDigits.body, body);
  if (fields.length > 0) throw new RequestFailure(422, { code: 'validation_failed', fields });
  return (await send(confirmDigits, { body, signal })).phone_confirmation;
}
