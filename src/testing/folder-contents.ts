import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../security/macs.ts';

/** Every file below a folder with its hash, for comparison. */
export const contentsOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true })
      .map(String)
      .toSorted()
      .map((name) => [name, join(folder, name)] as const)
      .map(([name, file]) => [name, statSync(file).isDirectory() ? 'folder' : sha256(readFileSync(file))]),
  );
