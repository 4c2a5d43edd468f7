import { EventEmitter } from 'node:events';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Items of one kind in a folder, each in a JSON file that only its owner can read. */
export interface KeptFiles<Thing extends { readonly id: string }> {
  add(thing: Thing): Promise<void>;
  /** Newest first. */
  ids(): Promise<string[]>;
  /** Newest first. */
  list(): Promise<Thing[]>;
  read(id: string): Promise<Thing | undefined>;
  /** Calls the listener for each new item; returns a function that stops it. */
  listen(listener: (thing: Thing) => void): () => void;
}

/** Ids are UUIDs, so that an id can never name another file. */
const fileName = /^([\da-f-]{36})\.json$/;

/** Opens a folder for items whose ids begin with their time (`orderedId`), and keeps the newest `kept` of them. */
export function openKeptFiles<Thing extends { readonly id: string }>(folder: string, kept: number): KeptFiles<Thing> {
  const fileOf = (id: string) => join(folder, `${id}.json`);
  const arrivals = new EventEmitter().setMaxListeners(0);

  const ids = async (): Promise<string[]> => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const names = await readdir(folder);
    return names
      .flatMap((name) => fileName.exec(name)?.[1] ?? [])
      .sort()
      .reverse();
  };

  const read = async (id: string): Promise<Thing | undefined> => {
    if (!fileName.test(`${id}.json`)) return undefined;
    const content = await readFile(fileOf(id), 'utf8').catch(() => undefined);
    return content === undefined ? undefined : (JSON.parse(content) as Thing);
  };

  return {
    async add(thing) {
      const others = (await ids()).filter((id) => id !== thing.id);
      // Written to a temporary file and renamed, so that a reader never sees a partial item.
      const aside = join(folder, `${thing.id}.part`);
      await writeFile(aside, JSON.stringify(thing, null, 2), { mode: 0o600 });
      await rename(aside, fileOf(thing.id));
      for (const id of others.slice(kept - 1)) await rm(fileOf(id), { force: true });
      arrivals.emit('arrival', thing);
    },
    ids,
    async list() {
      const things = await Promise.all((await ids()).map(read));
      return things.filter((thing) => thing !== undefined);
    },
    read,
    listen(listener) {
      arrivals.on('arrival', listener);
      return () => arrivals.off('arrival', listener);
    },
  };
}
