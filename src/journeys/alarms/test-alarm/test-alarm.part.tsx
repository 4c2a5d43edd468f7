import { useState } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { Button } from '../../../ui/button.tsx';
import { Failed, Notice } from '../../../ui/feedback/notice.tsx';
import css from './test-alarm.module.css';

/** A button that sends a test alarm, for a row of buttons; the outcome follows below them. */
export function TestAlarm() {
  const [byEmail, setByEmail] = useState(false);
  const testing = useRequest(async (signal) => {
    const { testAlarm } = await import('../alarms.contract.ts');
    setByEmail((await sendRequest(testAlarm, { signal })).email);
  });
  return (
    <>
      <Button
        label="alarms.test"
        quiet
        narrow
        busy={testing.state === 'pending' ? 'form.wait' : undefined}
        retry={testing.restart}
        onClick={() => void testing.start()}
      />
      {testing.state === 'success' && (
        <div className={css.news}>
          <Notice kind="success" role="status">
            <Text id={byEmail ? 'alarms.tested_email' : 'alarms.tested'} />
          </Notice>
        </div>
      )}
      {testing.error && (
        <div className={css.news}>
          <Failed failure={testing.error} />
        </div>
      )}
    </>
  );
}
