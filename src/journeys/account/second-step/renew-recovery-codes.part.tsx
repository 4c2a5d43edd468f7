import { sendRequest } from '../../../browser/requests/send-request.ts';
import { ConfirmAction } from './confirm-action.part.tsx';
import { RecoveryCodes } from './recovery-codes.part.tsx';
import { renewRecoveryCodes } from './second-step-settings.contract.ts';
import { keepUnsavedCodes, useUnsavedCodes } from './unsaved-codes.part.ts';

/** Replaces the recovery codes; the previous ones stop working. */
export function RenewRecoveryCodes({ done, cancel }: { done: () => void; cancel: () => void }) {
  const codes = useUnsavedCodes();
  if (codes) return <RecoveryCodes codes={codes} done={done} />;
  return (
    <ConfirmAction
      text="security.recovery_renew_text"
      label="security.recovery_renew"
      cancel={cancel}
      done={() => undefined}
      act={async (signal) => {
        keepUnsavedCodes((await sendRequest(renewRecoveryCodes, { body: {}, signal })).recovery_codes);
      }}
    />
  );
}
