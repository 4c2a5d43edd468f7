import type { Mutation } from '../drill.ts';

export const floodMutations: readonly Mutation[] = [
  {
    mistake: 'all requests begin as they arrive, without a limit for each turn of the event loop',
    place: 'no-turns',
    change: { value: (perTurn) => `1000 * ${perTurn}` },
    scene: 'src/access/gate/fair-scheduler.test.ts',
  },
  {
    mistake: 'the queue is short, and later requests are rejected',
    place: 'few-may-wait',
    change: { number: 4 },
    scene: 'wrong passwords from 500 sources (sqlite)',
  },
  {
    mistake: 'all requests enter simultaneously',
    place: 'everybody-inside',
    change: { value: (most) => `50 * ${most}` },
    scene: 'wrong passwords from 20 sources (sqlite)',
  },
  {
    mistake: 'sources that keep failing get more turns than others',
    place: 'failing-lane-first',
    change: { word: ['late: 1', 'late: 100'] },
    scene: 'wrong passwords from one source (postgres)',
  },
  {
    mistake: 'sign-ins to applications run all at the same time',
    place: 'every-application-inside',
    change: { word: ['inside: 4', 'inside: 1000'] },
    scene: 'src/journeys/openid/flood-on-postgres.test.ts',
  },
  {
    mistake: 'the solution of a task has no effect',
    place: 'tasks-in-vain',
    change: { word: ['proven', 'usual'] },
    scene: 'src/http/proof-of-work.test.ts',
  },
  {
    mistake: 'a solved task can be used again',
    place: 'tasks-for-ever',
    change: { value: () => 'true' },
    scene: 'src/http/proof-of-work.test.ts',
  },
  {
    mistake: 'a flood takes every connection to PostgreSQL',
    place: 'a-flood-takes-every-connection',
    change: { number: 0 },
    scene: 'src/store/postgres/connection-share.test.ts',
  },
  {
    mistake: 'hashes run on the event loop',
    place: 'hashes-in-the-way',
    change: { word: ['verify', 'verifySync as verify'] },
    scene: 'right passwords of one known device (sqlite)',
  },
  {
    mistake: 'each of the first requests of applications makes an RSA key',
    place: 'one-key-per-request',
    change: { word: ['??=', '='] },
    scene: 'src/journeys/openid/first-request.test.ts',
  },
];
