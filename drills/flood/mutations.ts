import type { Mutation } from '../drill.ts';

export const floodMutations: readonly Mutation[] = [
  {
    mistake: 'few may wait, and whoever comes later is sent away',
    place: 'few-may-wait',
    change: { number: 4 },
    scene: 'wrong passwords from 500 sources (sqlite)',
  },
  {
    mistake: 'everybody is let in at once',
    place: 'everybody-inside',
    change: { value: (most) => `50 * ${most}` },
    scene: 'wrong passwords from 20 sources (sqlite)',
  },
  {
    mistake: 'whoever fails all the time has more turns than anybody',
    place: 'failing-lane-first',
    change: { word: ['late: 1', 'late: 100'] },
    scene: 'wrong passwords from one source (postgres)',
  },
  {
    mistake: 'hashes are computed where requests are served',
    place: 'hashes-in-the-way',
    change: { word: ['verify', 'verifySync as verify'] },
    scene: 'right passwords of one known device (sqlite)',
  },
];
