import { callRates, callsKept } from '../journeys/operators/calls.ts';
import { inColumns, readNumber, type StoreCommand } from './command.ts';

export const callsList: StoreCommand = {
  usage: 'calls',
  summary:
    'show how many calls and messages are confirmed, by provider, method and country, and how much of the daily budget is spent',
  example: 'calls --days 1',
  options: { days: { type: 'string', value: '1-7', help: 'how many days back; 7 if absent' } },
  async run({ store, config, now, options }) {
    const asked = readNumber(options, 'days', { to: callsKept, usual: callsKept });
    const { calls, budget } = await callRates({ store, config, now }, asked);
    return {
      text: `${table(calls)}\n\nSpent in the last 24 hours: ${budget.spent} of ${budget.of} units.`,
      data: { days: asked, calls, budget },
    };
  },
};

const share = (part: number, whole: number): string => (whole === 0 ? '-' : `${Math.round((100 * part) / whole)} %`);

function table(calls: Awaited<ReturnType<typeof callRates>>['calls']): string {
  if (calls.length === 0) return 'No calls were requested.';
  const rows = [
    ['provider', 'method', 'country', 'requested', 'placed', 'confirmed', 'share', 'median'],
    ...calls.map(({ provider, way, country, asked, placed, confirmed, median_seconds }) => [
      ...[provider, way, country, String(asked), String(placed), String(confirmed), share(confirmed, placed)],
      median_seconds === null ? '-' : `${median_seconds} s`,
    ]),
  ];
  return inColumns(rows);
}
