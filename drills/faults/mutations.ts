import type { Mutation } from '../drill.ts';

export const databaseMutations: readonly Mutation[] = [
  {
    mistake: 'requests wait for the database as long as it takes',
    place: 'endless-wait',
    change: { number: 16 },
    scene: 'hung',
  },
  {
    mistake: 'a database that was silent once is not asked for a minute',
    place: 'silent-for-a-minute',
    change: { number: 60_000 },
    scene: 'hung',
  },
  {
    mistake: 'a connection that breaks is a failure of ours',
    place: 'broken-connection-is-ours',
    change: { word: ['08|', ''] },
    scene: 'down',
  },
  {
    mistake: 'a session that cannot be looked up counts as none',
    place: 'session-counts-as-none',
    change: {
      value: (found) =>
        `await (async () => ${found})().catch(() => ({ state: 'refused', reason: 'no_session' }) as const)`,
    },
    scene: 'down',
  },
  {
    mistake: 'a database without connections is a failure of ours',
    place: 'no-connections-is-ours',
    change: { word: ['53|57|', ''] },
    scene: 'out of connections',
  },
  {
    mistake: 'a database that is slow counts as one that is down',
    place: 'slow-counts-as-down',
    change: { number: 0.6 },
    scene: 'slow (50 ms each way)',
  },
  {
    mistake: 'one more guess is allowed than we say',
    place: { file: 'src/store/access/lockouts.ts', code: 'const allowedFailures = ' },
    change: { number: 6 },
    scene: 'restarted',
  },
];

export const bombMutations: readonly Mutation[] = [
  {
    mistake: 'headers may take as long as they like',
    place: 'slow-headers',
    change: { number: 14 },
    scene: 'slow headers (a byte each half second)',
  },
  {
    mistake: 'a body may take as long as it likes',
    place: 'slow-bodies',
    change: { number: 60 },
    scene: 'slow bodies (a byte each half second)',
  },
  {
    mistake: 'a body may be as large as it likes',
    place: 'large-bodies',
    change: { value: () => '2 ** 30 + 1' },
    scene: 'a gigabyte announced',
  },
  {
    mistake: 'a body that does not say its size may be as large as it likes',
    place: 'endless-chunks',
    change: { word: ['bodyLimit', 'bodyLimit: bodyLimit * 2 ** 16'] },
    scene: 'chunks without an end',
  },
  {
    mistake: 'nesting is found by a pattern that begins anew at each bracket',
    place: 'nesting-by-pattern',
    change: { value: (excessive) => String.raw`/\[+\{/.test(text) || ${excessive}` },
    scene: 'deep JSON',
  },
  {
    mistake: 'a header is read by a pattern that looks back again and again',
    place: 'language-by-pattern',
    change: { value: (said) => String.raw`${said}.replace(/\s+$/, '')` },
    scene: '15,000 spaces in Accept-Language',
  },
  {
    mistake: 'so is the one that names encodings',
    place: 'encoding-by-pattern',
    change: { value: (wish) => String.raw`${wish}.replace(/\s+$/, '')` },
    scene: '15,000 spaces in Accept-Encoding',
  },
  {
    mistake: 'so is a cookie',
    place: 'cookie-by-pattern',
    change: { value: (token) => String.raw`${token}?.replace(/\s+$/, '')` },
    scene: '15,000 spaces in a cookie',
  },
  {
    mistake: 'so is what proxies say of an address',
    place: 'address-by-pattern',
    change: { value: (ip) => String.raw`String(request.headers['x-forwarded-for']).match(/,+\d/) ? '' : ${ip}` },
    scene: '15,000 commas in X-Forwarded-For',
  },
];
