// `npm run drill mail`, `npm run drill calls`: shows on real servers that a promise of security.md holds.
import { type Row, table } from './table.ts';

const drills: Record<string, () => Promise<{ readonly drill: () => Promise<readonly Row[]> }>> = {
  mail: () => import('./mail.ts'),
  calls: () => import('./calls.ts'),
};

const longest = 4 * 60_000;

const [name = ''] = process.argv.slice(2);
const load = Object.hasOwn(drills, name) ? drills[name] : undefined;
if (load) {
  const began = performance.now();
  setTimeout(() => giveUp(), longest).unref();
  const rows = await (await load()).drill();
  const broken = rows.filter(({ held }) => !held).length;
  process.stdout.write(`${table(rows)}\n\n`);
  process.stdout.write(`${rows.length - broken} of ${rows.length} held, in ${seconds(began)} s\n`);
  process.exitCode = broken === 0 && rows.length > 0 ? 0 : 1;
} else {
  process.stderr.write(`Usage: npm run drill ${Object.keys(drills).join('|')}\n`);
  process.exitCode = 2;
}

function giveUp(): void {
  process.stderr.write(`BROKEN: did not come to its end within ${longest / 60_000} minutes\n`);
  process.exit(1);
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(0);
}
