import { RequestFailure } from '../../../browser/requests/request-status.ts';
import { send } from '../../../browser/requests/send.ts';
import { minutes } from '../../../contract/units.ts';
import { heartbeat, sendRecords } from '../device.contract.ts';
import { forgetOwnPhone, keepPhone, ownPhone } from './own-phone.part.ts';
import { changesSince, type Reading } from './phone-changes.part.ts';

const beatInterval = minutes(1);

/** They fit a request. */
const maxUnsent = 50;

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
  const { records: news, known } = changesSince(phone, reading);
  // Whose response was lost, as by a reload, have been stored perhaps: with the same ids, none is stored twice.
  const records = [...(phone.unsent ?? []), ...news].slice(-maxUnsent);
  // Without a wait, so that nothing that happens meanwhile, such as another page, reports the same.
  keepPhone({ ...phone, ...known, unsent: records });
  try {
    if (records.length > 0) await send(sendRecords, { body: { records } }, phone.token);
    else await send(heartbeat, { body: {} }, phone.token);
    const latest = ownPhone();
    const left = latest?.unsent?.filter(({ id }) => !records.some((sent) => sent.id === id));
    if (latest?.token === phone.token) keepPhone({ ...latest, unsent: left });
  } catch (failure) {
    // With a wait, the deletion of the account is planned, and its owner may cancel it.
    const isRemoved = failure instanceof RequestFailure && failure.code === 'not_signed_in' && !failure.wait;
    if (isRemoved) await forgetOwnPhone();
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
