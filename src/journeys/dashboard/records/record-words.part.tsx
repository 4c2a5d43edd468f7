import { Text } from '../../../browser/language/text.tsx';
import { type RecordKind, recordKinds, warnings } from '../../../contract/computers/record-kinds.ts';
import type { MessageId } from '../../../messages/ids.ts';

/** The text of each kind, for records and warnings. */
export const kindWords = {
  start: 'dashboard.kind_start',
  stop: 'dashboard.kind_stop',
  network_lost: 'dashboard.kind_network_lost',
  network_back: 'dashboard.kind_network_back',
  disk_low: 'dashboard.kind_disk_low',
  disk_enough: 'dashboard.kind_disk_enough',
  battery_low: 'dashboard.kind_battery_low',
  battery_enough: 'dashboard.kind_battery_enough',
} as const satisfies Record<RecordKind, MessageId>;

const isKnown = (kind: string): kind is RecordKind => recordKinds.some((known) => known === kind);

/** The text of a kind of record; undefined for a device's own kinds. */
export const wordsOfKind = (kind: string): MessageId | undefined => (isKnown(kind) ? kindWords[kind] : undefined);

/** Decorative, with the shapes of a device's states: whether a record reports a loss, a shortage, or neither. */
export function signOfKind(kind: string): 'lost' | 'low' | 'none' {
  if (kind === 'stop' || kind === 'network_lost') return 'lost';
  return warnings.some((warning) => warning === kind) ? 'low' : 'none';
}

/** The text of a record: in the page's language for a known kind, otherwise as the device wrote it. */
export function RecordWords({ kind, text }: { kind: string; text: string }) {
  const known = wordsOfKind(kind);
  if (known) return <Text id={known} />;
  return <bdi>{`${kind}: ${text}`}</bdi>;
}
