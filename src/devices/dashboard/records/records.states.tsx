import { type Act, press, waitFor } from '../../../gallery/acts.ts';
import { office, record } from '../../../gallery/examples/devices.ts';
import { loses } from '../../../gallery/replies.ts';
import type { States } from '../../../gallery/state.tsx';
import * as contract from '../../contract/computers.ts';
import { having, openFilters, page, some } from '../dashboard.states.tsx';

const long = page(
  Array.from({ length: 100 }, (_, at) => record(at, 'network_back')),
  '000900',
);

const openDownloads: Act = async () => {
  const button = await waitFor('menu of downloads', () => document.querySelector<HTMLElement>('main [popovertarget]'));
  button.focus();
  button.click();
};

export const states: readonly States[] = [
  {
    of: 'Records',
    page: 'records',
    states: {
      newest: {
        ...some,
        shows: ['records.page', 'account.download'],
      },
      filters: {
        ...some,
        acts: [openFilters],
        shows: [
          'label.search',
          'dashboard.filter_device',
          'dashboard.filter_kind',
          'dashboard.filter_all',
          'records.from',
          'records.until',
        ],
      },
      'filters in use': {
        ...some,
        search: '?device=Notebook&kind=door',
        acts: [openFilters],
        shows: ['records.clear'],
      },
      downloads: {
        ...some,
        acts: [openDownloads],
        shows: ['records.csv', 'records.jsonl'],
      },
      'a full page': { ...having(office, long), shows: ['dashboard.older'] },
      older: { ...having(office, long), search: '?before=000950', shows: ['records.newest', 'dashboard.older'] },
      'none match': {
        ...having(office, page([])),
        search: '?device=Notebook&kind=door&from=2026-11-01&until=2026-11-20',
        shows: ['dashboard.records_no_match'],
      },
      none: { ...having(office, page([])), shows: ['dashboard.records_none'] },
      'no devices': { ...having([]), shows: ['dashboard.empty_title'] },
      'not had': { ...having(office, loses(contract.listRecords)), shows: ['failure.no_answer'] },
      'not downloaded': {
        ...having(office, loses(contract.listRecords)),
        acts: [openDownloads, press('records.csv')],
        shows: ['failure.no_answer'],
      },
      'being read': { ...having([]), replies: [], shows: ['frame.loading'] },
      'long words': {
        ...having(office, page([record(0, 'w'.repeat(58), 'w'.repeat(900))])),
        shows: ['records.page'],
      },
    },
  },
];
