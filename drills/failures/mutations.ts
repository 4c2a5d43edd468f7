import type { Mutation } from '../drill.ts';

export const databaseMutations: readonly Mutation[] = [
  {
    mistake: 'requests wait for the database without a time limit',
    place: 'endless-wait',
    change: { number: 16 },
    scene: 'hung',
  },
  {
    mistake: 'after one timeout the database is not tried for a minute',
    place: 'silent-for-a-minute',
    change: { number: 60_000 },
    scene: 'hung',
  },
  {
    mistake: 'a broken connection causes a 500',
    place: 'broken-connection-is-ours',
    change: { word: ['08|', ''] },
    scene: 'down',
  },
  {
    mistake: 'a session whose lookup fails counts as missing',
    place: 'session-counts-as-none',
    change: {
      value: (found) =>
        `await (async () => ${found})().catch(() => ({ state: 'refused', reason: 'no_session' }) as const)`,
    },
    scene: 'down',
  },
  {
    mistake: 'a database without free connections causes a 500',
    place: 'no-connections-is-ours',
    change: { word: ['53|57|', ''] },
    scene: 'out of connections',
  },
  {
    mistake: 'a slow database counts as down',
    place: 'slow-counts-as-down',
    change: { number: 0.6 },
    scene: 'slow (50 ms each way)',
  },
  {
    mistake: 'one more guess is allowed than documented',
    place: 'one-more-guess',
    change: { number: 6 },
    scene: 'restarted',
  },
  {
    mistake: 'a connection that ends between two statements causes a 500',
    place: 'broken-between-statements',
    change: { word: ['this.isBroken || ', ''] },
    scene: 'src/store/postgres/lost-connection.test.ts',
  },
];

export const failoverMutations: readonly Mutation[] = [
  {
    mistake: 'a node uses an older primary that returns',
    place: 'outdated-primary-is-used',
    change: 'remove',
    scene: 'synchronous pair',
  },
  {
    mistake: 'a node never tries another host',
    place: 'another-host-is-never-tried',
    change: 'remove',
    scene: 'synchronous pair',
  },
];

export const bombMutations: readonly Mutation[] = [
  {
    mistake: 'headers have no time limit',
    place: 'slow-headers',
    change: { number: 14 },
    scene: 'slow headers (one byte every 0.5 s)',
  },
  {
    mistake: 'bodies have no time limit',
    place: 'slow-bodies',
    change: { number: 60 },
    scene: 'slow bodies (one byte every 0.5 s)',
  },
  {
    mistake: 'bodies have no size limit',
    place: 'large-bodies',
    change: { value: () => '2 ** 30 + 1' },
    scene: 'a declared body of 1 GB',
  },
  {
    mistake: 'bodies without Content-Length have no size limit',
    place: 'endless-chunks',
    change: { word: ['bodyLimit', 'bodyLimit: bodyLimit * 2 ** 16'] },
    scene: 'endless chunks',
  },
  {
    mistake: 'the regular expression for nesting restarts at each bracket',
    place: 'nesting-by-pattern',
    change: { value: (excessive) => String.raw`/\[+\{/.test(text) || ${excessive}` },
    scene: 'deep JSON',
  },
  {
    mistake: 'a backtracking regular expression parses Accept-Language',
    place: 'language-by-pattern',
    change: { value: (said) => String.raw`${said}.replace(/\s+$/, '')` },
    scene: '15,000 spaces in Accept-Language',
  },
  {
    mistake: 'a backtracking regular expression parses Accept-Encoding',
    place: 'encoding-by-pattern',
    change: { value: (wish) => String.raw`${wish}.replace(/\s+$/, '')` },
    scene: '15,000 spaces in Accept-Encoding',
  },
  {
    mistake: 'a backtracking regular expression parses cookies',
    place: 'cookie-by-pattern',
    change: { value: (token) => String.raw`${token}?.replace(/\s+$/, '')` },
    scene: '15,000 spaces in a cookie',
  },
  {
    mistake: 'a backtracking regular expression parses X-Forwarded-For',
    place: 'address-by-pattern',
    change: { value: (ip) => String.raw`String(request.headers['x-forwarded-for']).match(/,+\d/) ? '' : ${ip}` },
    scene: '15,000 commas in X-Forwarded-For',
  },
];
