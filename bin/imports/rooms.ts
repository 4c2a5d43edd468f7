/** The rooms of architecture.md; a journey has four kinds of files. */
export type Room =
  | 'root'
  | 'contract'
  | 'messages'
  | 'security'
  | 'store'
  | 'outbox'
  | 'http'
  | 'browser'
  | 'ui'
  | 'journey contract'
  | 'journey decision'
  | 'journey routes'
  | 'journey screen'
  | 'test';

export interface Place {
  readonly room: Room;
  /** The journey's folder, for what belongs to one. */
  readonly journey: string | undefined;
}

const folders: Readonly<Record<string, Room>> = {
  contract: 'contract',
  messages: 'messages',
  security: 'security',
  store: 'store',
  outbox: 'outbox',
  http: 'http',
  browser: 'browser',
  ui: 'ui',
  // A second way in, beside server.ts.
  cli: 'root',
};

/** Where a file of `src` belongs; undefined for a folder that the house does not have. */
export function placeOf(path: string): Place | undefined {
  const [, folder = '', second = '', ...rest] = path.split('/');
  const journey = folder === 'journeys' && rest.length > 0 ? second : undefined;
  // Tests, and what only they use, look at the house from outside.
  if (/\.test\.tsx?$|\/test-[^/]+$/.test(path)) return { room: 'test', journey };
  if (second === '') return { room: 'root', journey };
  if (journey !== undefined) return { room: kindOf(path), journey };
  const room = folders[folder];
  return room && { room, journey };
}

function kindOf(path: string): Room {
  if (path.endsWith('.contract.ts')) return 'journey contract';
  if (path.endsWith('.routes.ts')) return 'journey routes';
  return path.endsWith('.ts') ? 'journey decision' : 'journey screen';
}
