import { days } from '../../contract/durations.ts';
import type { Store } from '../../store/database.ts';
import { countBounces } from '../../store/emails/bounces.ts';
import { countSuppressed } from '../../store/emails/suppression-list.ts';
import { stepsAhead } from '../../store/migrate.ts';
import type { CheckResult } from './finding.ts';

/** The bounces of the past week, and the number of suppressed addresses. */
export async function examineBounces(store: Store, now: number): Promise<CheckResult> {
  if ((await stepsAhead(store)) > 0) return 'the next start creates its tables';
  const returned = await countBounces(store, { since: now - days(7) });
  const suppressed = await countSuppressed(store);
  const kinds = returned.map(({ told_by, kind, count }) => `${count} ${kind.replaceAll('_', ' ')} (${told_by})`);
  const came = kinds.length > 0 ? `${kinds.join(', ')} in the past week` : 'none in the past week';
  const said = `${came}; ${suppressed} suppressed${suppressed > 0 ? ', see vestibule suppressed' : ''}`;
  return returned.some(({ kind }) => kind === 'complaint') ? { warning: said } : said;
}
