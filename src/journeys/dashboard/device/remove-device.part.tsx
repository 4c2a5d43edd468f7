import { useId, useRef } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import { useGo } from '../../../browser/navigation/navigation.tsx';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRemoval } from '../../../browser/requests/send-removal.ts';
import { removeComputer } from '../../../contract/computers/computers.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Failed } from '../../../ui/feedback/notice.tsx';
import css from './remove-device.module.css';
import { removedDevice } from './removed-device.part.ts';

interface RemoveDeviceProps {
  readonly id: string;
  readonly name: string;
  /** Called when the removal begins, and with false if it fails. */
  readonly removing: (is: boolean) => void;
}

/** A button that removes a device after a question; then the list of devices appears and confirms it. */
export function RemoveDevice({ id, name, removing: report }: RemoveDeviceProps) {
  const go = useGo();
  const dialog = useRef<HTMLDialogElement>(null);
  const question = useId();
  const removing = useRequest(
    async (signal) => {
      // Before the page learns from its own requests that the device is gone.
      report(true);
      await sendRemoval(removeComputer, { params: { id }, signal });
      removedDevice.write(name);
      go('/devices/');
    },
    { onError: () => report(false) },
  );
  // The dialog returns the focus to the button that opened it.
  const close = () => dialog.current?.close();
  return (
    <>
      <Button label="dashboard.remove_yes" quiet danger narrow onClick={() => dialog.current?.showModal()} />
      <Dialog ref={dialog} labelledBy={question}>
        <p id={question} className={css.question}>
          <Text id="dashboard.remove_sure" values={{ name }} dir="auto" />
        </p>
        <Failed failure={removing.error} />
        <div className={css.buttons}>
          <Button label="dashboard.remove_no" quiet onClick={close} />
          <Button
            label="dashboard.remove"
            danger
            busy={removing.state === 'pending' ? 'form.wait' : undefined}
            retry={removing.restart}
            onClick={() => void removing.start()}
          />
        </div>
      </Dialog>
    </>
  );
}
