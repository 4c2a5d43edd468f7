// `npm run drill` lists the drills, `npm run drill mail` runs one, `npm run drill all` all of them.
// `npm run drill kill -- --points 200` kills at more random points than usual.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { minutes } from '../src/contract/units.ts';
import {
  cellsOf,
  type Databases,
  type Drill,
  openDatabases,
  openStage,
  type PlayOptions,
  type Row,
  type Scene,
  table,
  usualPoints,
  wordFor,
} from './drill.ts';
import { NotInstalled } from './fixtures/programs.ts';
import { Broken } from './fixtures/service.ts';

/** How long a scene may take by default; generous, because the machine may be busy. */
const usually = minutes(2);

interface Playing extends PlayOptions {
  /** Names of the scenes to play; all if empty. */
  readonly named?: readonly string[];
  /** Called after each scene. */
  say?(line: string): void;
}

/** Plays a drill's scenes and returns their rows in order. Closes a scene's resources however the scene ends. */
async function play(
  { scenes, maxConcurrent }: Drill,
  { named = [], say = () => undefined, ...options }: Playing = {},
): Promise<readonly Row[]> {
  const unknown = named.filter((name) => !scenes.some((scene) => scene.name === name));
  if (unknown.length > 0) throw new Error(`There is no scene "${unknown[0]}"; choose from ${quoted(scenes)}.`);
  const wanted = scenes.filter(({ name }) => named.length === 0 || named.includes(name));
  const databases = openDatabases();
  const rows: Row[] = [];
  const waiting = [...wanted.entries()];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [at, scene] = next;
      const began = performance.now();
      const row = await playOne(scene, databases, options);
      rows[at] = row;
      const took = `${Math.round((performance.now() - began) / 1000)} s`;
      const why = row.seen.broken ? `: ${row.seen.broken}` : '';
      say(`  ${wordFor(row).padEnd(11)}${scene.name}, ${took}${why}`);
    }
  };
  try {
    await Promise.all(Array.from({ length: maxConcurrent }, worker));
  } finally {
    await databases.close();
  }
  return rows;
}

async function playOne({ name, within = usually, play }: Scene, databases: Databases, options: PlayOptions) {
  const { stage, close } = openStage(databases, options);
  const allowed = within * Math.max(1, (options.points ?? 0) / usualPoints);
  let late: NodeJS.Timeout | undefined;
  const deadline = new Promise<Row>((resolve) => {
    const reason = `not finished within ${Math.round(allowed / 1000)} s`;
    late = setTimeout(() => resolve({ held: false, seen: { scene: name, broken: reason } }), allowed);
  });
  const played = play(stage).catch((error: Error): Row => {
    if (error instanceof Broken)
      return { held: false, seen: { scene: name, broken: error.message.replaceAll(/\s+/g, ' ') } };
    const reason = error instanceof NotInstalled ? error.message : (error.stack ?? error);
    return { held: false, seen: { scene: name }, error: `${name}: ${reason}` };
  });
  const row = await Promise.race([played, deadline]);
  clearTimeout(late);
  await close();
  return row;
}

const quoted = (scenes: readonly Scene[]) => scenes.map(({ name }) => `"${name}"`).join(', ');

/** A promise was broken. Any other error, even one of Node itself, exits with 1. */
const brokenCode = 3;
/** A drill could not be played, or its name is unknown. */
const notPlayedCode = 2;

/** Loaded on demand, so that running one drill does not load the others. */
const drills: Readonly<Record<string, () => Promise<{ readonly drill: Drill }>>> = {
  kill: () => import('./failures/kill.ts'),
  tabs: () => import('./nodes/tabs.ts'),
  nodes: () => import('./nodes/nodes.ts'),
  'second-step': () => import('./nodes/second-step.ts'),
  database: () => import('./failures/database.ts'),
  failover: () => import('./failures/failover.ts'),
  cuts: () => import('./failures/cuts.ts'),
  pooler: () => import('./failures/pooler.ts'),
  bombs: () => import('./failures/bombs.ts'),
  disk: () => import('./failures/disk.ts'),
  flood: () => import('./flood/flood.ts'),
  clock: () => import('./nodes/clock.ts'),
  deploy: () => import('./nodes/deploy.ts'),
  rotate: () => import('./nodes/rotate.ts'),
  calls: () => import('./calls.ts'),
  mail: () => import('./mail/mail.ts'),
  apps: () => import('./apps/apps.ts'),
  webhooks: () => import('./webhooks.ts'),
  night: () => import('./devices/night.ts'),
  rollout: () => import('./devices/rollout.ts'),
};
const drillNames = Object.keys(drills);

async function loadDrill(name: string): Promise<Drill> {
  const found = Object.hasOwn(drills, name) ? drills[name] : undefined;
  if (!found) throw new Error(`There is no drill "${name}"; choose from ${drillNames.join(', ')}.`);
  return (await found()).drill;
}

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

/** Runs a drill, or some of its scenes; returns the sentence that sums it up. */
async function run(name: string, named: readonly string[] = []): Promise<string> {
  const drill = await loadDrill(name);
  say(`${name}: ${drill.promise}`);
  const began = performance.now();
  const points = values.points === undefined ? {} : { points: Number(values.points) };
  const rows = await play(drill, { named, say, ...points });
  const held = rows.filter((row) => row.held).length;
  const summary = `${held} of ${rows.length} held, in ${Math.round((performance.now() - began) / 1000)} s`;
  say(`\n${table(rows)}\n\n${name}: ${summary}\n`);
  if (held < rows.length || rows.length === 0) process.exitCode = brokenCode;
  if (rows.some(({ error }) => error !== undefined)) process.exitCode = notPlayedCode;
  if (named.length === 0) writeSection(`Drill: ${name}`, `${drill.promise}\n\n${markdown(rows)}\n\n${summary}.`);
  return summary;
}

async function runAll(): Promise<void> {
  const summaries: string[] = [];
  for (const name of drillNames) summaries.push(`${column(name)}${await run(name)}`);
  for (const summary of summaries) say(summary);
}

const results = join(import.meta.dirname, 'results.md');
const head = '# Drill results\n\nWritten by `npm run drill` with a name or `all`; each run replaces its own section.\n';

/** Replaces a section of results.md. */
function writeSection(title: string, body: string): void {
  const [top = head, ...sections] = (existsSync(results) ? readFileSync(results, 'utf8') : head).split(/^(?=## )/m);
  const today = new Date().toISOString().slice(0, 10);
  const section = `## ${title}\n\n${today}, Node ${process.versions.node}, ${process.platform} ${process.arch}.\n\n${body}\n`;
  const others = sections.filter((one) => !one.startsWith(`## ${title}\n`)).map((one) => `${one.trimEnd()}\n`);
  writeFileSync(results, `${top.trimEnd()}\n\n${[...others, section].sort().join('\n')}`);
}

function markdown(rows: readonly Row[]): string {
  const { columns, cells } = cellsOf(rows);
  const lineOf = (line: readonly string[]) => `| ${line.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [lineOf(columns), `|${columns.map(() => '---|').join('')}`, ...cells.map(lineOf)].join('\n');
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
