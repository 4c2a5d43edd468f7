import { days } from '../../contract/durations.ts';
import type { Store } from '../../store/database.ts';
import { countReturned } from '../../store/letters/returned-letters.ts';
import { countUnreachable } from '../../store/letters/unreachable-addresses.ts';
import { stepsAhead } from '../../store/migrate.ts';
import type { Said } from './finding.ts';

/** What came back within a week, and how many addresses get nothing any more. */
export async function examineReturned(store: Store, now: number): Promise<Said> {
  if ((await stepsAhead(store)) > 0) return 'the next start makes its tables';
  const returned = await countReturned(store, { since: now - days(7) });
  const suppressed = await countUnreachable(store);
  const kinds = returned.map(({ told_by, kind, count }) => `${count} ${kind.replaceAll('_', ' ')} (${told_by})`);
  const came = kinds.length > 0 ? `within a week ${kinds.join(', ')}` : 'none within a week';
  const said = `${came}; ${suppressed} suppressed${suppressed > 0 ? ', see vestibule suppressed' : ''}`;
  return returned.some(({ kind }) => kind === 'complaint') ? { warning: said } : said;
}
