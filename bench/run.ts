// `npm run bench` runs everything and writes bench/results.md; `npm run bench sign-in flood` runs two without writing, and
// `npm run bench console -- --rounds 1 --accounts 3000000` the console in a large database.
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Figures, type Measurement, medians } from './measure.ts';
import { measurementsWith } from './measurements.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '3' }, accounts: { type: 'string', default: '30000' } },
});
const measurements = measurementsWith({ accounts: Number(values.accounts) });

const peers = join(import.meta.dirname, 'peers');

function installPeers(): void {
  if (existsSync(join(peers, 'node_modules', 'autocannon'))) return;
  process.stderr.write('Installing the peers for comparison …\n');
  execFileSync('npm', ['ci', '--silent', '--no-audit', '--no-fund'], { cwd: peers, stdio: 'inherit' });
}

const spoken = (figure: number | undefined): string => {
  if (figure === undefined || Number.isNaN(figure)) return '';
  return figure >= 100 ? String(Math.round(figure)) : figure.toPrecision(3);
};

/** A Markdown table with a column for every figure, and the ratio to the limit. */
function tableOf({ says, limit }: Measurement, seen: ReadonlyMap<string, Figures>): string {
  const columns = [...new Set([...seen.values()].flatMap(Object.keys))];
  const most = limit === undefined ? undefined : seen.get(limit)?.['per second'];
  const ratio = (figures: Figures) =>
    most === undefined ? [] : [spoken(((figures['per second'] ?? Number.NaN) / most) * 100).concat(' %')];
  const head = ['', ...columns, ...(most === undefined ? [] : ['share of limit'])];
  const rows = [...seen].map(([name, figures]) => [
    name,
    ...columns.map((column) => spoken(figures[column])),
    ...ratio(figures),
  ]);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    `## ${says}`,
    '',
    line(head),
    line(head.map((_, at) => (at === 0 ? '---' : '---:'))),
    ...rows.map(line),
    '',
  ].join('\n');
}

async function measure(names: readonly string[]): Promise<string[]> {
  const tables: string[] = [];
  for (const name of names) {
    const measurement = measurements[name];
    if (!measurement) throw new Error(`No measurement "${name}"; choose from ${Object.keys(measurements).join(', ')}.`);
    process.stderr.write(`${name}\n`);
    const table = tableOf(measurement, await medians(await measurement.contenders(), Number(values.rounds)));
    process.stdout.write(`${table}\n`);
    tables.push(table);
  }
  return tables;
}

installPeers();
const all = Object.keys(measurements);
const tables = await measure(positionals.length > 0 ? positionals : all);
if (positionals.length === 0) {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD']).toString().trim();
  const where = `${new Date().toISOString().slice(0, 10)}, commit ${commit}, Node ${process.version}, ${availableParallelism()} processors (${cpus()[0]?.model})`;
  const head = `# Benchmark results\n\n${where}; medians of ${values.rounds} round${values.rounds === '1' ? '' : 's'}. Written by \`npm run bench\`; all candidates take turns, and the load generator runs on the same machine.\n`;
  writeFileSync(join(import.meta.dirname, 'results.md'), `${head}\n${tables.join('\n')}`);
}
