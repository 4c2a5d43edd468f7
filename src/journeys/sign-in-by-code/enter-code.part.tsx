import { useRef, useState } from 'react';
import { forgetDraft } from '../../browser/forms/draft.ts';
import { useForm } from '../../browser/forms/form.ts';
import { Paragraph, Text } from '../../browser/language/text.tsx';
import { useKeptQuery } from '../../browser/navigation/kept-query.ts';
import { goToLastPlace } from '../../browser/navigation/last-place.ts';
import { useGo } from '../../browser/navigation/navigation.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import { tabStorage } from '../../browser/platform/storage.ts';
import { useCountdown } from '../../browser/platform/timers.ts';
import { RequestFailure, useRequest } from '../../browser/requests/request-status.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import { startSession } from '../../browser/requests/session.ts';
import { seconds } from '../../contract/units.ts';
import type { MessageId } from '../../messages/ids.ts';
import { Button, SubmitButton } from '../../ui/button.tsx';
import { Failed } from '../../ui/feedback/feedback.tsx';
import { FormProblems } from '../../ui/feedback/form-problems.tsx';
import { CodeField } from '../../ui/fields/code-field.tsx';
import { BelowForm, FormStack, StepTitle } from '../../ui/layouts/card.tsx';
import { ContinueTo } from '../openid/connect/continue-to.part.tsx';
import type { RequestedCode } from './ask-for-code.part.ts';

/** After this time, the email has probably been lost. */
const askAgainAfter = seconds(60);

interface EnterCodeProps {
  asked: RequestedCode;
  /** Moves to a newly requested code or, without one, back to the password. */
  enter: (asked?: RequestedCode, inPlace?: boolean) => void;
}

/** The form that asked for the code was never sent, so this tab still keeps its address and tick. */
const forgetTyped = () => forgetDraft('sign-in');

/** Signs in with the six digits from an email instead of the password. */
export function EnterCode({ asked, enter }: EnterCodeProps) {
  const { dbType } = useKeptQuery();
  const { language } = usePage();
  const go = useGo();
  /** The button's label while the next page loads. */
  const [leaving, leave] = useState<MessageId>();
  const { left, clock } = useCountdown(asked.sentAt + askAgainAfter, askAgainAfter);
  const again = useRequest(async (signal) => {
    const { askForCode } = await import('./ask-for-code.part.ts');
    await askForCode(asked.email, { language, signal, shared: asked.shared });
    enter({ ...asked, sentAt: Date.now() }, true);
  });
  const form = useForm({
    contract: () => import('./sign-in-by-code.contract.ts'),
    schema: ({ codeForm }) => codeForm,
    initial: { code: '' },
    also: { email: asked.email, db_type: dbType, shared: asked.shared },
    async send({ loginByCode }, body, signal) {
      tabStorage.write('entered_by', asked.shared ? 'shared' : undefined);
      try {
        startSession(await sendRequest(loginByCode, { body, signal }));
      } catch (failure) {
        if (!(failure instanceof RequestFailure) || failure.code !== 'second_step_required') throw failure;
        forgetTyped();
        leave('failure.second_step_required');
        return go('/second-step/');
      }
      forgetTyped();
      leave('sign_in.success');
      await goToLastPlace(language);
    },
  });
  const unfocused = useRef<HTMLElement>(null);
  const waiting = form.busy ? 'form.wait' : undefined;
  return (
    <>
      <StepTitle title="code.title" />
      <FormStack {...form.props}>
        <ContinueTo />
        <FormProblems form={{ ...form, summaryRef: unfocused }} />
        <p id="code-hint">
          <Text id="code.lead" values={{ email: asked.email }} />
        </p>
        <CodeField form={form} name="code" label="code.label" hinted />
        <SubmitButton label="sign_in.submit" busy={leaving ?? waiting} retry={form.retry} />
      </FormStack>
      <BelowForm>
        <Failed failure={again.error} />
        {left > 0 ? (
          <Paragraph role="timer" id="code.resend_in" values={{ time: clock }} />
        ) : (
          <Button label="code.resend" plain request={again} />
        )}
        <p>
          <Button label="code.password" plain onClick={() => enter(undefined, true)} />
        </p>
      </BelowForm>
    </>
  );
}
