import { notifyAccountChanged } from '../../../browser/requests/account-changes.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { ConfirmAction } from '../../account/second-step/confirm-action.part.tsx';
import { removePassword } from '../passkeys.contract.ts';

/** Removes the password of an account with at least two passkeys. */
export const RemovePassword = ({ done, cancel }: { done: () => void; cancel: () => void }) => (
  <ConfirmAction
    text="security.password_remove_text"
    label="security.password_remove"
    cancel={cancel}
    done={() => {
      done();
      notifyAccountChanged();
    }}
    act={async (signal) => {
      await sendRequest(removePassword, { signal });
    }}
  />
);
