/** The code of what may be wrong with each part that the doctor examines. */
export const codesOfParts = {
  examination: 'examination',
  disk: 'disk',
  database: 'database',
  keys: 'keys',
  clock: 'clock',
  partitions: 'partitions',
  visitors: 'visitors',
  calls: 'calls',
  applications: 'applications',
  outbox: 'outbox',
  bounces: 'bounces',
  webhooks: 'webhooks',
  cookies: 'cookies',
  certificate: 'certificate',
  mail: 'mail',
  'redirect rules': 'redirect_rules',
  backups: 'backups',
  places: 'places',
  'call countries': 'call_countries',
} as const;

/** A part that the doctor examines: also a provider, a country, or a record of the sender's domain. */
export type ExaminedPart =
  | keyof typeof codesOfParts
  | 'version'
  | 'settings'
  | `calls: ${string}`
  | `calls to ${string}`
  | `mail: ${string}`;

/** What does not work as it should. */
export type ConcernCode =
  | (typeof codesOfParts)[keyof typeof codesOfParts]
  | 'call_provider'
  | 'calls_to'
  | 'mail_record'
  | 'node_missing'
  | 'versions_differ'
  | 'guesses'
  | 'search_incomplete';
