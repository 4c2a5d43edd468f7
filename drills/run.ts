// `npm run drill` lists the drills, `npm run drill mail` runs one, `npm run drill all` all of them.
// `npm run drill kill -- --points 200` kills at more random points than usual.
import { parseArgs } from 'node:util';
import type { Run } from './drill.ts';
import { drillNames, loadDrill } from './drills.ts';
import { brokenCode, notPlayedCode } from './exit-codes.ts';
import { play } from './play.ts';
import { writeRows } from './results.ts';
import { table } from './table.ts';

const say = (text: string) => process.stdout.write(`${text}\n`);

/** Pads a drill's name to the longest one. */
const column = (name: string): string => name.padEnd(Math.max(...drillNames.map(({ length }) => length)) + 2);

async function list(): Promise<void> {
  for (const name of drillNames) {
    const { promise, scenes } = await loadDrill(name);
    say(`${column(name)}${promise}\n${column('')}scenes: ${scenes.length}`);
  }
  say('\nnpm run drill <name>|all');
}

async function run(name: string, named: readonly string[] = []): Promise<Run> {
  const drill = await loadDrill(name);
  const { promise } = drill;
  say(`${name}: ${promise}`);
  const began = performance.now();
  const points = values.points === undefined ? {} : { points: Number(values.points) };
  const rows = await play(drill, { named, say, ...points });
  const broken = rows.filter(({ held }) => !held).length;
  const seconds = Math.round((performance.now() - began) / 1000);
  say(`\n${table(rows)}\n\n${name}: ${rows.length - broken} of ${rows.length} held, in ${seconds} s\n`);
  if (broken > 0 || rows.length === 0) process.exitCode = brokenCode;
  if (rows.some(({ error }) => error !== undefined)) process.exitCode = notPlayedCode;
  const done = { name, promise, scenes: rows.length, broken, seconds };
  if (named.length === 0) writeRows(done, rows);
  return done;
}

async function runAll(): Promise<void> {
  const runs: Run[] = [];
  for (const name of drillNames) runs.push(await run(name));
  for (const { name, scenes, broken, seconds } of runs) {
    say(`${column(name)}${scenes - broken} of ${scenes} held, in ${seconds} s`);
  }
}

const { positionals, values } = parseArgs({ allowPositionals: true, options: { points: { type: 'string' } } });
const [command, ...rest] = positionals;
try {
  if (command === undefined) await list();
  else if (command === 'all') await runAll();
  else await run(command, rest);
} catch (problem) {
  process.stderr.write(`${(problem as Error).message}\n`);
  process.exitCode = notPlayedCode;
}
// Resources that a broken scene left open must not keep the process alive.
process.exit();
