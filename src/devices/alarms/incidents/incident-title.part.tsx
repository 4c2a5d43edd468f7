import { Text, useText } from '../../../browser/language/text.tsx';
import type { MessageId } from '../../../messages/ids.ts';
import type { Incident } from './incidents.contract.ts';

const kindWords = {
  computer_silent: 'mail.incident.silent',
  disk_low: 'mail.incident.disk_low',
  battery_low: 'mail.incident.battery_low',
  computer_stopped: 'mail.incident.stopped',
  record: 'mail.incident.record',
  disk_high: 'mail.incident.value',
  memory_low: 'mail.incident.value',
  memory_high: 'mail.incident.value',
  battery_high: 'mail.incident.value',
} as const satisfies Record<Incident['kind'], MessageId>;

type Titled = Pick<Incident, 'kind' | 'unstable' | 'first' | 'devices'>;

/** "Silent: Front desk and 2 more", as the messages about it say. */
export function useIncidentTitle({ kind, unstable, first, devices }: Titled) {
  const others = { device: first, count: String(devices - 1) };
  const all = useText()('mail.incident.more', others);
  const id: MessageId = unstable ? 'mail.incident.unstable' : kindWords[kind];
  return { id, values: { devices: devices > 1 ? all : first } };
}

export const IncidentTitle = ({ incident }: { incident: Titled }) => (
  <Text {...useIncidentTitle(incident)} dir="auto" />
);
