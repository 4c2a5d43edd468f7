/** The folders of `src`, except journeys and test code (`docs/house.md`). */
export const folders = [
  'server',
  'site',
  'cli',
  'contract',
  'messages',
  'security',
  'access',
  'runtime',
  'store',
  'delivery',
  'outgoing',
  'webhooks',
  'messengers',
  'outbox',
  'phone-calls',
  'operations',
  'development-inbox',
  'http',
  'browser',
  'ui',
  'gallery',
  'devices store',
] as const;

/** The five kinds of files in a journey. */
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
  /** The folder of the journey that the file belongs to, if any. */
  readonly journey: string | undefined;
}

const isFolder = (name: string): name is (typeof folders)[number] => (folders as readonly string[]).includes(name);

/** Classifies a file of `src`; undefined for an unknown folder. */
export function placeOf(path: string): Place | undefined {
  const [, folder = '', second = '', ...rest] = path.split('/');
  const journey = journeyOf(folder, rest.length > 0 ? second : undefined);
  // Tests and their helpers may import everything.
  if (folder === 'testing' || /\.test\.tsx?$/.test(path)) return { room: 'test', journey };
  // States for the gallery are beside each screen and component, but do not belong to them.
  if (path.endsWith('.states.tsx')) return { room: 'states', journey };
  if (path.startsWith('src/devices/store/')) return { room: 'devices store', journey };
  if (journey !== undefined) return { room: kindOf(path), journey };
  return second !== '' && isFolder(folder) ? { room: folder, journey } : undefined;
}

/** The wing of devices is one journey with tables of its own. */
function journeyOf(folder: string, name: string | undefined): string | undefined {
  if (folder === 'devices') return folder;
  return folder === 'journeys' ? name : undefined;
}

function kindOf(path: string): Room {
  if (path.endsWith('.contract.ts') || path.startsWith('src/devices/contract/')) return 'journey contract';
  if (path.endsWith('.routes.ts')) return 'journey routes';
  if (/\.part\.tsx?$/.test(path)) return 'journey part';
  return path.endsWith('.ts') ? 'journey decision' : 'journey screen';
}
