import { RequestFailure } from '../../../browser/requests/request-failure.ts';
import { send } from '../../../browser/requests/send.ts';
import { minutes } from '../../../contract/units.ts';
import { heartbeat, sendRecords } from '../device.contract.ts';
import { forgetOwnPhone, keepPhone, ownPhone } from './own-phone.part.ts';
import { changesSince, type Reading } from './phone-changes.part.ts';

const beatInterval = minutes(1);

let isReporting = false;

/** Reports as this phone while the page is visible, and says goodbye when it is not. */
export function reportWhileOpen(): void {
  if (isReporting) return;
  isReporting = true;
  document.addEventListener('visibilitychange', () => (document.hidden ? sayGoodbye() : void report()));
  setInterval(report, beatInterval);
  void report();
}

async function report(): Promise<void> {
  const reading = await readPhone();
  const phone = ownPhone();
  if (!phone || document.hidden) return;
  const { records, known } = changesSince(phone, reading);
  // Without a wait, so that nothing that happens meanwhile, such as another page, reports the same.
  keepPhone({ ...phone, ...known });
  try {
    if (records.length > 0) await send(sendRecords, { body: { records } }, phone.token);
    else await send(heartbeat, { body: {} }, phone.token);
  } catch (failure) {
    // With a wait, the deletion of the account is planned, and its owner may cancel it.
    const isRemoved = failure instanceof RequestFailure && failure.code === 'not_signed_in' && !failure.wait;
    if (isRemoved) await forgetOwnPhone();
    else if (ownPhone()?.token === phone.token) keepPhone(phone);
  }
}

/** A request with `keepalive` outlives a page that is closed. */
function sayGoodbye(): void {
  const phone = ownPhone();
  if (!phone) return;
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${phone.token}` };
  const body = JSON.stringify({ goodbye: { reason: 'suspend' } });
  void fetch(heartbeat.path, { method: 'POST', keepalive: true, headers, body }).catch(() => undefined);
}

interface Revealing {
  readonly connection?: { readonly type?: string };
  getBattery?(): Promise<{ readonly level: number; readonly charging: boolean }>;
}

async function readPhone(): Promise<Reading> {
  const revealing = navigator as Revealing;
  const battery = await revealing.getBattery?.().catch(() => undefined);
  return {
    battery: battery && Math.round(battery.level * 100),
    charging: battery?.charging ?? false,
    network: revealing.connection?.type,
  };
}
