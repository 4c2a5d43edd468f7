import { checkForm } from '../../browser/forms/form-check.ts';
import { keepEmail } from '../../browser/navigation/kept-query.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import type { FieldFailure } from '../../contract/failures.ts';
import type { LanguageCode } from '../../contract/languages.ts';
import { codeRequest, requestCode } from './sign-in-by-code.contract.ts';

/** Says that a code went to an address; `sentAt` in milliseconds since 1970. */
export interface AskedCode {
  readonly email: string;
  readonly sentAt: number;
  /** Others use the computer, too. */
  readonly shared?: boolean | undefined;
}

/** Has a code sent. Returns what is wrong with the address, when that is none. */
export async function askForCode(
  typed: string,
  { language, signal, shared }: { language: LanguageCode; signal: AbortSignal; shared?: boolean | undefined },
): Promise<FieldFailure | AskedCode> {
  const body = { email: typed, locale: language };
  const [wrong] = checkForm(codeRequest, body);
  if (wrong) return wrong;
  await sendRequest(requestCode, { body, signal });
  const email = typed.trim();
  keepEmail(email, shared);
  return { email, shared, sentAt: Date.now() };
}
