import { checkForm } from '../../browser/forms/form-check.ts';
import { keepEmail } from '../../browser/navigation/kept-query.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import type { FieldFailure } from '../../contract/failures.ts';
import type { LanguageCode } from '../../contract/languages.ts';
import { codeRequest, requestCode } from './sign-in-by-code.contract.ts';

/** A code that was requested for an address; `sentAt` in milliseconds since the epoch. */
export interface RequestedCode {
  readonly email: string;
  readonly sentAt: number;
  /** Whether other people also use the computer. */
  readonly shared?: boolean | undefined;
}

/** Requests a code. Returns the failure of the address if it is invalid. */
export async function askForCode(
  typed: string,
  { language, signal, shared }: { language: LanguageCode; signal: AbortSignal; shared?: boolean | undefined },
): Promise<FieldFailure | RequestedCode> {
  const body = { email: typed, locale: language };
  const [wrong] = checkForm(codeRequest, body);
  if (wrong) return wrong;
  await sendRequest(requestCode, { body, signal });
  const email = typed.trim();
  keepEmail(email, shared);
  return { email, shared, sentAt: Date.now() };
}
