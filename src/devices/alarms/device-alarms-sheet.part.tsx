import { useAccountChanges } from '../../browser/requests/account-changes.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import { Sheet, SheetPart } from '../../ui/layouts/card.tsx';
import { LiveTrouble, useLive } from '../dashboard/live.part.tsx';
import { readComputerAlarms } from './alarms.contract.ts';
import { DeviceAlarms } from './device-alarms.part.tsx';

/** The alarms of one device, on its own page. Loads its own data. */
export function DeviceAlarmsSheet({ id, tags }: { id: string; tags: readonly string[] }) {
  const live = useLive(`${id} ${tags.join()}`, (signal) => sendRequest(readComputerAlarms, { params: { id }, signal }));
  const { answer } = live;
  // The page shows rules that were changed in another tab, instead of undoing them.
  useAccountChanges(live.again, live.again);
  return (
    <Sheet title="account_alarms.page">
      <SheetPart>
        <LiveTrouble live={live} />
        {answer && (
          <DeviceAlarms
            alarms={answer}
            device={{ ...answer.computer, tags: [...tags] }}
            changed={(computer) => live.replace({ ...answer, computer })}
          />
        )}
      </SheetPart>
    </Sheet>
  );
}
