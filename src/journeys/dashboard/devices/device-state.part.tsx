import { Text } from '../../../browser/language/text.tsx';
import { useTimes } from '../../../browser/language/times.ts';
import type { listComputers } from '../../../contract/computers.ts';
import { minutes } from '../../../contract/durations.ts';
import type { Answered } from '../../../contract/endpoint.ts';

export type Computer = Answered<typeof listComputers>['computers'][number];

/** Agents send a heartbeat every minute; one may be late. */
const nowWithin = minutes(3);
const silentAfter = minutes(30);

/** State of a computer, by the milliseconds since its last heartbeat. */
export const stateOf = (silentFor: number): 'now' | 'lately' | 'silent' => {
  if (silentFor < nowWithin) return 'now';
  return silentFor < silentAfter ? 'lately' : 'silent';
};

const words = {
  now: 'dashboard.state_now',
  lately: 'dashboard.state_lately',
  silent: 'dashboard.state_silent',
} as const;

/** Shows the state as text. */
export function DeviceState({ silentFor }: { silentFor: number }) {
  const { ago } = useTimes();
  return <Text id={words[stateOf(silentFor)]} values={{ ago: ago(silentFor) }} dir="auto" />;
}
