/** Folders of `src` but the journeys and what is for tests (`docs/house.md`). */
export const folders = [
  'server',
  'site',
  'cli',
  'contract',
  'messages',
  'security',
  'access',
  'store',
  'outbox',
  'phone-calls',
  'operations',
  'development-inbox',
  'http',
  'browser',
  'ui',
  'gallery',
] as const;

/** A journey has five kinds of files. */
export const kinds = [
  'journey contract',
  'journey decision',
  'journey routes',
  'journey screen',
  'journey part',
] as const;

export type Room = (typeof folders)[number] | (typeof kinds)[number] | 'states' | 'test';

export interface Place {
  readonly room: Room;
  /** The journey's folder, for what belongs to one. */
  readonly journey: string | undefined;
}

const isFolder = (name: string): name is (typeof folders)[number] => (folders as readonly string[]).includes(name);

/** Where a file of `src` belongs; undefined for a folder that the house does not have. */
export function placeOf(path: string): Place | undefined {
  const [, folder = '', second = '', ...rest] = path.split('/');
  const journey = folder === 'journeys' && rest.length > 0 ? second : undefined;
  // Tests, and what only they use, look at the house from outside.
  if (folder === 'testing' || /\.test\.tsx?$/.test(path)) return { room: 'test', journey };
  // What the gallery shows is beside each screen and component, and no part of it.
  if (path.endsWith('.states.tsx')) return { room: 'states', journey };
  if (journey !== undefined) return { room: kindOf(path), journey };
  return second !== '' && isFolder(folder) ? { room: folder, journey } : undefined;
}

function kindOf(path: string): Room {
  if (path.endsWith('.contract.ts')) return 'journey contract';
  if (path.endsWith('.routes.ts')) return 'journey routes';
  if (/\.part\.tsx?$/.test(path)) return 'journey part';
  return path.endsWith('.ts') ? 'journey decision' : 'journey screen';
}
