import { openDatabases } from './databases.ts';
import type { Drill, Scene } from './drill.ts';
import type { Row } from './table.ts';

/** Plays a drill's scenes, or those that are named; rows in the order of the scenes. */
export async function play({ scenes, atOnce }: Drill, named: readonly string[] = []): Promise<readonly Row[]> {
  const unknown = named.filter((name) => !scenes.some((scene) => scene.name === name));
  if (unknown.length > 0) throw new Error(`There is no scene "${unknown[0]}"; there is ${quoted(scenes)}.`);
  const wanted = scenes.filter(({ name }) => named.length === 0 || named.includes(name));
  const databases = openDatabases();
  const rows: Row[] = [];
  const waiting = [...wanted.entries()];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [at, scene] = next;
      rows[at] = await scene.play(databases);
    }
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, worker));
  } finally {
    await databases.close();
  }
  return rows;
}

const quoted = (scenes: readonly Scene[]) => scenes.map(({ name }) => `"${name}"`).join(', ');
