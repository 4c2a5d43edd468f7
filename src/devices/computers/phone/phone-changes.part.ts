import { minutes } from '../../../contract/units.ts';

/** This browser as a smartphone of an account, and what it reported last. */
export interface OwnPhone {
  readonly account: string;
  /** The token of a device. */
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly seen?: number | undefined;
  readonly low?: boolean;
  /** As the Network Information API names it: `wifi`, `cellular`, … */
  readonly network?: string | undefined;
  /** Records whose response has not arrived. */
  readonly unsent?: readonly PhoneRecord[] | undefined;
}

interface PhoneRecord {
  readonly id: string;
  readonly at: number;
  readonly kind: string;
  readonly text: string;
}

/** What a phone reveals: Apple's browsers nothing of it. */
export interface Reading {
  /** In percent. */
  readonly battery: number | undefined;
  readonly charging: boolean;
  readonly network: string | undefined;
}

/** After a longer absence, the phone reports that it is there again. */
const pause = minutes(10);
/** In percent. */
const lowBattery = 15;

/** What to report, and what is then known. */
export function changesSince(phone: OwnPhone, { battery, charging, network }: Reading, now = Date.now()) {
  const low = battery !== undefined && battery <= lowBattery && !charging;
  const power = battery === undefined ? [] : [`Battery ${battery} %${charging ? ', charging' : ''}.`];
  const connected = network === undefined ? [] : [`Network: ${network}.`];
  const changes = [
    now - (phone.seen ?? 0) > pause && { kind: 'start', text: ['The page was opened.', ...power, ...connected] },
    phone.network !== undefined &&
      connected.length > 0 &&
      network !== phone.network && { kind: 'network_back', text: connected },
    low !== (phone.low ?? false) && { kind: low ? 'battery_low' : 'battery_enough', text: power },
  ];
  return {
    records: changes.flatMap((change) =>
      change ? [{ id: crypto.randomUUID(), at: now, kind: change.kind, text: change.text.join(' ') }] : [],
    ),
    known: { seen: now, low, network },
  };
}
