import { type ComponentType, useEffect, useState } from 'react';
import { forgetDraft, keepDraft, readDraft } from '../../browser/forms/form-draft.ts';
import { keepEmail } from '../../browser/navigation/kept-query.ts';
import { usePage } from '../../browser/navigation/page.tsx';
import { useRequest } from '../../browser/requests/request-status.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import type { FieldFailure } from '../../contract/failures.ts';
import type { EnterCodeProps } from './enter-code.part.tsx';

/** A code that was asked for; `sentAt` in milliseconds since 1970. */
export interface AskedCode {
  readonly email: string;
  readonly sentAt: number;
}

/** Under this name the tab keeps where a code went, so that a reload comes back to its field. */
const draft = 'sign-in-code';

export type Code = ReturnType<typeof useCode>;

/** Asks for a code, and then brings the step in which it is typed: code that a first visit does not load. */
export function useCode() {
  const { language, settings } = usePage();
  const [asked, setAsked] = useState<AskedCode>();
  const [Step, setStep] = useState<ComponentType<EnterCodeProps>>();

  async function show(code: AskedCode): Promise<void> {
    const { EnterCode } = await import('./enter-code.part.tsx');
    setStep(() => EnterCode);
    setAsked(code);
  }

  const asking = useRequest(async (signal, typed: string, refuse?: (wrong: FieldFailure) => void) => {
    const [{ codeRequest, requestCode }, { checkForm }] = await Promise.all([
      import('./sign-in-by-code.contract.ts'),
      import('../../browser/forms/form-check.ts'),
    ]);
    const body = { email: typed, locale: language };
    const [wrong] = checkForm(codeRequest, body);
    if (wrong) return refuse?.(wrong);
    await sendRequest(requestCode, { body, signal });
    const code = { email: typed.trim(), sentAt: Date.now() };
    keepEmail(code.email);
    keepDraft(draft, { email: code.email, at: String(code.sentAt) });
    await show(code);
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page is shown
  useEffect(() => {
    const { email, at } = readDraft(draft);
    if (settings.mailCode && typeof email === 'string') show({ email, sentAt: Number(at) }).catch(console.error);
  }, []);

  return {
    offered: settings.mailCode,
    asked,
    Step,
    pending: asking.state === 'pending',
    failure: asking.error,
    /** `refuse` says what is wrong with the address. */
    ask: asking.start,
    /** To the password, or on into the account: the code is of no more use. */
    leave() {
      forgetDraft(draft);
      setAsked(undefined);
    },
  };
}
