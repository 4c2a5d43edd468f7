import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { sha256 } from '../security/macs.ts';

const project = join(import.meta.dirname, '..', '..');

/** Folders that a copy creates itself or does not need. */
const left = new Set(['.git', 'data', 'dist', 'node_modules']);

export interface ProjectCopy {
  /** A file of the copy. */
  path(...parts: string[]): string;
  remove(): void;
}

/** Copies the project to a folder that a test may change. It shares the packages, but not the caches. */
export function copyProject({ built = false }: { built?: boolean } = {}): ProjectCopy {
  const folder = mkdtempSync(join(tmpdir(), 'vestibule-copy-'));
  for (const name of readdirSync(project)) {
    if (!left.has(name)) cpSync(join(project, name), join(folder, name), { recursive: true });
  }
  if (built) {
    // Pages that tests rendered belong to the original sources.
    const isProduct = (path: string) => basename(path) !== 'test';
    cpSync(join(project, 'dist'), join(folder, 'dist'), { recursive: true, filter: isProduct });
  }
  linkPackages(join(project, 'node_modules'), join(folder, 'node_modules'));
  return {
    path: (...parts) => join(folder, ...parts),
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

function linkPackages(from: string, to: string): void {
  mkdirSync(to);
  for (const name of readdirSync(from)) {
    if (['.cache', '.vite', '.vitest-cache'].includes(name)) continue;
    // Windows lets any user link folders, but not files; in a copy of a copy, the folders are already links.
    if (statSync(join(from, name)).isDirectory()) symlinkSync(join(from, name), join(to, name), 'junction');
    else cpSync(join(from, name), join(to, name));
  }
}

/** Every file below a folder with its hash, for comparison. */
export const contentsOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true })
      .map(String)
      .toSorted()
      .map((name) => [name, join(folder, name)] as const)
      .map(([name, file]) => [name, statSync(file).isDirectory() ? 'folder' : sha256(readFileSync(file))]),
  );
