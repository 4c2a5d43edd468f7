// `npm run drill` lists the drills, `npm run drill mail` runs one, `npm run drill all` all of them.
// `npm run drill prove` (or `prove mail`) makes one-line mistakes in copies of the product, which the drills must notice.
import type { Drill } from './drill.ts';
import { play } from './play.ts';
import { prove } from './prove.ts';
import { writeProof, writeRuns } from './results.ts';
import { table } from './table.ts';

const drills: Readonly<Record<string, () => Promise<{ readonly drill: Drill }>>> = {
  mail: () => import('./mail.ts'),
  calls: () => import('./calls.ts'),
};
const names = Object.keys(drills);

/** In milliseconds: a drill that takes longer hangs. */
const longest = 15 * 60_000;

const say = (text: string) => process.stdout.write(`${text}\n`);

async function load(name: string): Promise<Drill> {
  const found = Object.hasOwn(drills, name) ? drills[name] : undefined;
  if (!found) throw new Error(`There is no drill "${name}"; there is ${names.join(', ')}.`);
  return (await found()).drill;
}

async function list(): Promise<void> {
  for (const name of names) {
    const { promise, scenes, mutations } = await load(name);
    say(
      `${name.padEnd(10)}${promise}\n${''.padEnd(10)}${scenes.length} scenes, ${mutations.length} mistakes to notice`,
    );
  }
  say('\nnpm run drill <name>|all, npm run drill prove [<name>]');
}

async function run(name: string, scenes: readonly string[] = []): Promise<Run> {
  const drill = await load(name);
  const began = performance.now();
  const late = setTimeout(() => giveUp(name), longest);
  const rows = await play(drill, scenes);
  clearTimeout(late);
  const broken = rows.filter(({ held }) => !held).length;
  const seconds = Math.round((performance.now() - began) / 1000);
  say(`${table(rows)}\n\n${name}: ${rows.length - broken} of ${rows.length} held, in ${seconds} s\n`);
  if (broken > 0 || rows.length === 0) process.exitCode = 1;
  return { name, promise: drill.promise, scenes: rows.length, broken, seconds };
}

export interface Run {
  readonly name: string;
  readonly promise: string;
  readonly scenes: number;
  readonly broken: number;
  readonly seconds: number;
}

function giveUp(name: string): void {
  process.stderr.write(`BROKEN: ${name} did not come to its end within ${longest / 60_000} minutes\n`);
  process.exit(1);
}

async function runAll(): Promise<void> {
  const runs: Run[] = [];
  for (const name of names) runs.push(await run(name));
  writeRuns(runs);
}

async function proveAll(wanted: readonly string[]): Promise<void> {
  for (const name of wanted) {
    const proof = await prove(name, await load(name), say);
    writeProof(name, proof);
    if (!proof.every(({ noticed }) => noticed)) process.exitCode = 1;
  }
}

const [command, ...rest] = process.argv.slice(2);
try {
  if (command === undefined) await list();
  else if (command === 'all') await runAll();
  else if (command === 'prove') await proveAll(rest.length > 0 ? rest : names);
  else await run(command, rest);
} catch (problem) {
  process.stderr.write(`${(problem as Error).message}\n`);
  process.exitCode = 2;
}
