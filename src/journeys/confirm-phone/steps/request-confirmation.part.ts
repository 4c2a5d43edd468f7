import { attemptAt, fulfil } from '../../../browser/requests/attempt.ts';
import { RequestFailure } from '../../../browser/requests/request-failure.ts';
import { sendRequest as send } from '../../../browser/requests/send-request.ts';
import { seconds } from '../../../contract/durations.ts';
import type { FieldFailure } from '../../../contract/failures.ts';
import type { LanguageCode } from '../../../contract/languages.ts';
import { writeReadPhone } from '../../../ui/fields/phone-field.tsx';
import type { AwaitedCall, Way } from './kept-call.part.ts';

interface Wanted {
  readonly way: Way;
  /** E.164, and as people write it. */
  readonly number: string;
  readonly written: string;
  /** Where a link would go. */
  readonly email: string;
  readonly registers: boolean | undefined;
  readonly locale: LanguageCode;
}

/** Only of a number that rings are these the last four. */
const inWordsOf = (way: Way, failure: FieldFailure): FieldFailure =>
  way !== 'ring' && failure.code === 'digits_four' ? { ...failure, code: 'digits_all' } : failure;
const inOnePiece = (number: string) => number.replaceAll(' ', '\u00a0');

const contract = () => import('../confirm-phone.contract.ts');

/** Asks for a call, a message or a link; resolves to what the visitor waits for. */
export async function requestConfirmation(
  { way, number, written, email, registers, locale }: Wanted,
  signal: AbortSignal,
): Promise<AwaitedCall> {
  const { requestCall, requestMail } = await contract();
  const asked = { phone: number, locale, attempt: attemptAt('call') };
  const {
    call: id,
    resend_in,
    number: dial,
  } = way === 'mail'
    ? await send(requestMail, { body: { ...asked, email }, signal })
    : await send(requestCall, { body: { ...asked, way, email: (registers && email.trim()) || undefined }, signal });
  fulfil('call');
  const toDial = dial && inOnePiece(await writeReadPhone(dial));
  const to = way === 'mail' ? email.trim() : inOnePiece(written);
  return { id, way, to, number: toDial, resendAt: Date.now() + seconds(resend_in) };
}

/** Sends the digits of a call; resolves to the confirmation. Throws `RequestFailure`, also for digits of another form. */
export async function compareDigits(call: AwaitedCall, digits: string, signal: AbortSignal): Promise<string> {
  const [{ confirmDigits }, { checkForm }] = await Promise.all([
    contract(),
    import('../../../browser/forms/form-check.ts'),
  ]);
  const body = { call: call.id, digits };
  const fields = checkForm(confirmDigits.body, body);
  if (fields.length > 0)
    throw new RequestFailure(422, {
      code: 'validation_failed',
      fields: fields.map((field) => inWordsOf(call.way, field)),
    });
  return (await send(confirmDigits, { body, signal })).phone_confirmation;
}
