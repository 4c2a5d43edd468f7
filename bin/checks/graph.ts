import { readModule } from '../imports/modules.ts';
import { shellOf } from './shell.ts';

/** The files that a module depends on. */
export interface Reads {
  /** Paths of our modules and files that it imports, including dynamic imports. */
  readonly imports: readonly string[];
  /** Whether it may read files, start programs or resolve modules, which its imports do not show. */
  readonly opaque: boolean;
  /** Digest of its load-time code, if any other change affects only callers of its functions. */
  readonly shell?: string | undefined;
}

/** Journeys are stateless, and the service loads them even in tests that never call them. */
const isJourney = (path: string) => /^src\/journeys\/.*(?<!\.test)\.ts$/.test(path);

const isModule = (path: string) => /\.(?:tsx?|mts|m?js)$/.test(path);

/** Code that can read more than it imports. Vite and the compiler read any file that they are given. */
const reaches =
  /\bimport\.meta\.(?:dirname|filename|url|glob|resolve)|from '(?:node:)?(?:child_process|worker_threads|module|vm|cluster)'|from '(?:vite|typescript|knip)'|process\.(?:cwd|chdir|getBuiltinModule)\b|createRequire|\bimport\(\s*[^'"\s]|\brequire\(/;

/** Imports from Node's file system: everything, or these names. */
const files = /import\s+(\*|\w+|\{[^}]*\})[^'"]*from\s+'(?:node:)?fs(?:\/promises)?'/g;
/** Functions that create and delete files, but never read one. */
const onlyWrites = /^(?:mkdtemp|mkdir|rm|rmdir|unlink|writeFile|appendFile|truncate|rename|chmod|utimes)(?:Sync)?$/;

function readsFiles(source: string): boolean {
  return [...source.matchAll(files)].some(
    ([, names = '']) =>
      !names.startsWith('{') ||
      names
        .slice(1, -1)
        .split(',')
        .map((name) => name.trim())
        .some((name) => name !== '' && !name.startsWith('type ') && !onlyWrites.test(name)),
  );
}

/** Reads a module. A module that cannot be parsed is opaque, because its dependencies are unknown. */
export function readsOf(path: string, source: string): Reads {
  if (!isModule(path)) return { imports: [], opaque: false };
  try {
    const imports = readModule(path, source).imports.flatMap(({ target, typeOnly }) =>
      target && !typeOnly ? [target.replace(/\?.*$/, '')] : [],
    );
    const opaque = reaches.test(source) || readsFiles(source);
    return { imports, opaque, shell: isJourney(path) ? shellOf(path, source) : undefined };
  } catch {
    return { imports: [], opaque: true };
  }
}
