import { createHash } from 'node:crypto';
import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The files of the project, by their path with `/` on every system. */
export type Tree = ReadonlyMap<string, Leaf>;

export interface Leaf {
  /** Of its content. */
  readonly digest: string;
  /** Milliseconds since 1970: shows a file that was changed and changed back. */
  readonly changed: number;
}

/** Whatever npm, the build, git or a running service leaves. */
const left = new Set(['.git', 'node_modules', 'dist', 'data', 'test-results']);

export const digestOf = (content: string | Buffer): string =>
  createHash('sha256').update(content).digest('hex').slice(0, 32);

/** Reads every file of the project that belongs to its sources. */
export function readTree(root: string): Tree {
  const visible = (entry: Dirent) => !left.has(entry.name) && !entry.name.endsWith('.log');
  return new Map(filesIn(root, '', visible).map((path) => [path, leafAt(join(root, path))]));
}

/** What the build has made: the files whose content differs are those whose sources matter. */
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

/** Each build says when it was made. */
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
