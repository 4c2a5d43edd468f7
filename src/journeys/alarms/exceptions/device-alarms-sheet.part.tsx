import { useState } from 'react';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { Sheet, SheetPart } from '../../../ui/layouts/sheet.tsx';
import { LiveTrouble, useLive } from '../../dashboard/live.part.tsx';
import type { Alarms } from '../alarms.contract.ts';

/** The alarms of one device, on its own page. Loads its own data and the form, which the page shows last. */
export function DeviceAlarmsSheet({ id, tags }: { id: string; tags: readonly string[] }) {
  const [changed, setChanged] = useState<Alarms['computers'][number]>();
  const live = useLive(`${id} ${tags.join()}`, async (signal) => {
    const [{ readComputerAlarms }, { DeviceAlarms }] = await Promise.all([
      import('../alarms.contract.ts'),
      import('./device-alarms.part.tsx'),
    ]);
    return { ...(await sendRequest(readComputerAlarms, { params: { id }, signal })), DeviceAlarms };
  });
  const { answer } = live;
  return (
    <Sheet title="account_alarms.page">
      <SheetPart>
        <LiveTrouble live={live} />
        {answer && (
          <answer.DeviceAlarms
            alarms={answer}
            device={{ ...(changed ?? answer.computer), tags: [...tags] }}
            changed={setChanged}
          />
        )}
      </SheetPart>
    </Sheet>
  );
}
