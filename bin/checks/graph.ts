import { readModule } from '../imports/modules.ts';
import { shellOf } from './shell.ts';

/** What a module needs when it runs. */
export interface Reads {
  /** Paths of our modules and files that it imports, also later. */
  readonly imports: readonly string[];
  /** It may read files, start programs or look for modules, which its imports do not show. */
  readonly opaque: boolean;
  /** Digest of what it does when it is loaded, where a change of anything else matters only to who calls its functions. */
  readonly shell?: string | undefined;
}

/** Stateless, and alone in being loaded with the service by tests that call nothing of it. */
const isJourney = (path: string) => /^src\/journeys\/.*(?<!\.test)\.ts$/.test(path);

const isModule = (path: string) => /\.(?:tsx?|mts|m?js)$/.test(path);

/** Signs of a module that can read more than it imports. Vite and the compiler read whatever they are given. */
const reaches =
  /\bimport\.meta\.(?:dirname|filename|url|glob|resolve)|from '(?:node:)?(?:child_process|worker_threads|module|vm|cluster)'|from '(?:vite|typescript|knip)'|process\.(?:cwd|chdir|getBuiltinModule)\b|createRequire|\bimport\(\s*[^'"\s]|\brequire\(/;

/** What is imported from Node's file system: everything, or these names. */
const files = /import\s+(\*|\w+|\{[^}]*\})[^'"]*from\s+'(?:node:)?fs(?:\/promises)?'/g;
/** These make and remove files of the test, and read none. */
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

/** Reads a module. One that cannot be parsed is opaque: nobody knows what it needs. */
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
