import { minutes } from '../src/contract/units.ts';
import { type Drill, type Row, type Scene, wordFor } from './drill.ts';
import { NotInstalled } from './fixtures/programs.ts';
import { Broken } from './fixtures/service.ts';
import { type Databases, openDatabases, openStage, type PlayOptions, usualPoints } from './fixtures/stage.ts';

/** How long a scene may take by default; generous, because the machine may be busy. */
const usually = minutes(2);

interface Playing extends PlayOptions {
  /** Names of the scenes to play; all if empty. */
  readonly named?: readonly string[];
  /** Called after each scene. */
  say?(line: string): void;
}

/** Plays a drill's scenes and returns their rows in order. Closes a scene's resources however the scene ends. */
export async function play(
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
