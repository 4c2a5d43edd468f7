import { Paragraph } from '../../../browser/language/text.tsx';
import { useRequest } from '../../../browser/requests/request-status.ts';
import type { MessageId } from '../../../messages/ids.ts';
import { Button } from '../../../ui/button.tsx';
import { Failed } from '../../../ui/feedback/feedback.tsx';
import { ButtonRow } from '../layout/rows.part.tsx';

interface ConfirmActionProps {
  /** The consequence of the action. */
  text: MessageId;
  values?: Record<string, string>;
  label: MessageId;
  act: (signal: AbortSignal) => Promise<unknown>;
  done: () => void;
  cancel: () => void;
}

/** Asks before something is removed. Cancel comes first, so that a held Enter removes nothing. */
export function ConfirmAction({ text, values, label, act, done, cancel }: ConfirmActionProps) {
  const acting = useRequest(async (signal) => {
    await act(signal);
    done();
  });
  return (
    <>
      <Paragraph id={text} dir="auto" {...(values && { values })} />
      <Failed failure={acting.error} />
      <ButtonRow>
        <Button label="account.cancel" quiet narrow onClick={acting.state === 'pending' ? undefined : cancel} />
        <Button label={label} danger narrow request={acting} />
      </ButtonRow>
    </>
  );
}
