import type { listComputers } from '../../contract/computers/computers.ts';
import { warnings } from '../../contract/computers/record-kinds.ts';
import { hours, minutes } from '../../contract/durations.ts';
import type { ResponseBody } from '../../contract/endpoint.ts';
import { record } from './records.ts';

type Computer = ResponseBody<typeof listComputers>['computers'][number];

/** A computer that reports without a gap. */
export const computer = (name: string, known: Partial<Computer> = {}): Computer => ({
  id: name,
  name,
  tags: [],
  platform: 'linux',
  version: '1.0.0',
  created_at: '2026-11-01T08:00:00Z',
  last_seen_at: '2026-11-21T12:00:00Z',
  silent_for: 0,
  signs: '1'.repeat(96),
  warnings: [],
  newest: null,
  ...known,
});

/** A computer that has just been added. */
export const newComputer = (name: string): Computer =>
  computer(name, {
    version: null,
    created_at: '2026-01-01T00:00:00Z',
    last_seen_at: '2026-01-01T00:00:00Z',
    signs: '',
  });

export const office = [
  computer('Front desk', { newest: record(0, 'start') }),
  computer('Notebook', {
    platform: 'windows',
    silent_for: minutes(12),
    signs: '0'.repeat(30) + '1'.repeat(40) + '0'.repeat(20) + '1'.repeat(6),
    newest: record(1, 'network_back'),
  }),
];
/** Computers in each state. */
export const troubled = [
  ...office,
  computer('Printer', { silent_for: minutes(2), newest: { ...record(0, 'stop'), at: '2026-11-21T12:00:00Z' } }),
  computer('Server', {
    silent_for: hours(5),
    signs: '1'.repeat(76) + '0'.repeat(20),
    warnings: warnings.filter((kind) => kind !== 'battery_low'),
  }),
  computer('هاتف ليلى', { platform: 'android', warnings: ['battery_low'], newest: record(2, 'door', 'Opened.') }),
];
/** Thirty days of a computer that is off at night (`history` in the contract). */
export const month = `${'0c'.repeat(4)}${'00366cc6'.repeat(27)}006cc`;
