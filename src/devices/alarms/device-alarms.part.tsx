import { useRef, useState } from 'react';
import { Text } from '../../browser/language/text.tsx';
import { useTimes } from '../../browser/language/times.ts';
import { Link } from '../../browser/navigation/navigation.tsx';
import { useRequest } from '../../browser/requests/request-status.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import { notifyOtherTabs, useAccountChanges } from '../../browser/requests/session.ts';
import { Button, singleClick } from '../../ui/button.tsx';
import { Failed } from '../../ui/feedback/feedback.tsx';
import { Sheet, SheetPart } from '../../ui/layouts/card.tsx';
import { LiveTrouble, useLive } from '../dashboard/live.part.tsx';
import { type ComputerAlarms, changeComputerAlarms, readComputerAlarms } from './device-alarms.contract.ts';
import css from './device-alarms.module.css';
import { RuleSentence } from './rule-words.part.tsx';

/** The alarms of one device, on its own page: the rules that decide for it, and a mute. Loads its own data. */
export function DeviceAlarmsSheet({ id, tags }: { id: string; tags: readonly string[] }) {
  const live = useLive(`${id} ${tags.join()}`, (signal) => sendRequest(readComputerAlarms, { params: { id }, signal }));
  const { answer } = live;
  useAccountChanges(live.again, live.again);
  return (
    <Sheet title="account_alarms.page" aside={<Link to="/alarms/rules/" text="rules.title" />}>
      <SheetPart>
        <LiveTrouble live={live} />
        {answer && (
          <>
            <ul className={css.rules}>
              {answer.rules.map((rule) => (
                <li key={rule.id}>
                  <RuleSentence rule={rule} devices={[answer.computer]} />
                </li>
              ))}
            </ul>
            <Mute device={answer.computer} changed={(computer) => live.replace({ ...answer, computer })} />
          </>
        )}
      </SheetPart>
    </Sheet>
  );
}

const aDay = 24 * 60;

/** Minutes, or null to end a mute. */
type Muting = number | 'until_further_notice' | null;

interface MuteProps {
  readonly device: ComputerAlarms;
  readonly changed: (device: ComputerAlarms) => void;
}

function Mute({ device, changed }: MuteProps) {
  const { when } = useTimes();
  const state = useRef<HTMLDivElement>(null);
  const [pressed, press] = useState<Muting>();
  const muting = useRequest(async (signal, mute: Muting) => {
    press(mute);
    changed(await sendRequest(changeComputerAlarms, { params: { id: device.id }, body: { mute }, signal }));
    notifyOtherTabs();
    // The button that was pressed disappears.
    state.current?.focus({ preventScroll: true });
  });
  const button = (label: 'alarms.unmute' | 'alarms.mute_day' | 'alarms.mute', mute: Muting) => (
    <Button
      label={label}
      quiet
      narrow
      busy={muting.state === 'pending' && pressed === mute ? 'form.wait' : undefined}
      retry={() => muting.restart(mute)}
      onClick={singleClick(() => void muting.start(mute))}
    />
  );
  return (
    <>
      <div className={css.mute}>
        <div ref={state} role="status" tabIndex={-1}>
          {device.muted &&
            (device.muted_until === null ? (
              <Text id="alarms.muted" />
            ) : (
              <Text id="alarms.muted_until" values={{ when: when(device.muted_until) }} dir="auto" />
            ))}
        </div>
        {device.muted ? (
          button('alarms.unmute', null)
        ) : (
          <>
            {button('alarms.mute_day', aDay)}
            {button('alarms.mute', 'until_further_notice')}
          </>
        )}
      </div>
      <Failed failure={muting.error} />
    </>
  );
}
