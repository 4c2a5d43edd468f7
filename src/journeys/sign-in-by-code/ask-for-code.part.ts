import { checkForm } from '../../browser/forms/form-check.ts';
import { forgetDraft, keepDraft, readDraft } from '../../browser/forms/form-draft.ts';
import { keepEmail } from '../../browser/navigation/kept-query.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import type { FieldFailure } from '../../contract/failures.ts';
import type { LanguageCode } from '../../contract/languages.ts';
import { codeRequest, requestCode } from './sign-in-by-code.contract.ts';

/** Under this name the tab keeps where a code went, so that a reload comes back to its field. */
const draft = 'sign-in-code';

/** Where the code went that this tab has asked for, and when, in milliseconds since 1970. */
export function askedCode(): { readonly email: string; readonly sentAt: number } {
  const { email, at } = readDraft(draft);
  return { email: String(email), sentAt: Number(at) };
}

export const forgetCode = (): void => forgetDraft(draft);

/** Has a code sent. Returns what is wrong with the address, when that is none. */
export async function askForCode(
  typed: string,
  { language, signal }: { language: LanguageCode; signal: AbortSignal },
): Promise<FieldFailure | undefined> {
  const body = { email: typed, locale: language };
  const [wrong] = checkForm(codeRequest, body);
  if (wrong) return wrong;
  await sendRequest(requestCode, { body, signal });
  const email = typed.trim();
  keepEmail(email);
  keepDraft(draft, { email, at: String(Date.now()) });
  return undefined;
}
