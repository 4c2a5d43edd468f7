import { createHash } from 'node:crypto';
import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The files of the project, by path, with `/` on every system. */
export type Tree = ReadonlyMap<string, Leaf>;

export interface Leaf {
  /** The digest of its content. */
  readonly digest: string;
  /** The modification time in milliseconds since 1970: reveals a change that was reverted. */
  readonly changed: number;
}

/** Files that npm, the build, git or a running service create. */
const left = new Set(['.git', 'node_modules', 'dist', 'data', 'test-results']);

export const digestOf = (content: string | Buffer): string =>
  createHash('sha256').update(content).digest('hex').slice(0, 32);

/** Reads all source files of the project. */
export function readTree(root: string): Tree {
  const visible = (entry: Dirent) => !left.has(entry.name) && !entry.name.endsWith('.log');
  return new Map(filesIn(root, '', visible).map((path) => [path, leafAt(join(root, path))]));
}

/** Reads the build's products, as one digest for each folder. */
export function readProducts(root: string): Tree {
  const products = ['client', 'prerender', 'gallery', 'messages', 'server'];
  return new Map(
    products.map((name) => {
      const files = filesIn(root, `dist/${name}`, () => true).filter((path) => !/\.(?:br|gz|map)$/.test(path));
      const contents = files.map((path) => `${path}\0${digestOf(withoutTime(path, readFileSync(join(root, path))))}`);
      return [`dist/${name}`, { digest: digestOf(contents.join('\n')), changed: 0 }];
    }),
  );
}

/** Removes the time of the build, which differs in each build. */
const withoutTime = (path: string, content: Buffer): string | Buffer =>
  path.endsWith('build.json') ? content.toString().replace(/"timestamp":\d+/, '') : content;

function leafAt(file: string): Leaf {
  const { mtimeMs } = statSync(file);
  return { digest: digestOf(readFileSync(file)), changed: mtimeMs };
}

function filesIn(root: string, folder: string, isVisible: (entry: Dirent) => boolean): string[] {
  return entriesOf(join(root, folder))
    .filter(isVisible)
    .flatMap((entry) => {
      const path = folder ? `${folder}/${entry.name}` : entry.name;
      if (entry.isDirectory()) return filesIn(root, path, isVisible);
      return entry.isFile() ? [path] : [];
    })
    .sort();
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
