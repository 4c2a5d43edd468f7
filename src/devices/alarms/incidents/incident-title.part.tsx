import { Text, useText } from '../../../browser/language/text.tsx';
import type { MessageId } from '../../../messages/ids.ts';
import { incidentWords } from '../../contract/alarm-kinds.ts';
import type { Incident } from './incidents.contract.ts';

type Titled = Pick<Incident, 'kind' | 'unstable' | 'first' | 'devices'>;

/** "Silent: Front desk and 2 more", as the messages about it say. */
export function useIncidentTitle({ kind, unstable, first, devices }: Titled) {
  const others = { device: first, count: String(devices - 1) };
  const all = useText()('mail.incident.more', others);
  const id: MessageId = unstable ? 'mail.incident.unstable' : incidentWords[kind];
  return { id, values: { devices: devices > 1 ? all : first } };
}

export const IncidentTitle = ({ incident }: { incident: Titled }) => (
  <Text {...useIncidentTitle(incident)} dir="auto" />
);
