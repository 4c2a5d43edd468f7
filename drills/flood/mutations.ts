import type { Mutation } from '../drill.ts';

export const floodMutations: readonly Mutation[] = [
  {
    mistake: 'the queue is short, and later requests are rejected',
    file: 'src/access/gate/fair-gate.ts',
    from: 'perLane = 512',
    to: 'perLane = 4',
    scene: 'wrong passwords from 500 sources (sqlite)',
  },
  {
    mistake: 'all requests enter simultaneously',
    file: 'src/access/gate/fair-gate.ts',
    from: 'inside: mostInside = insideAtOnce',
    to: 'inside: mostInside = 50 * insideAtOnce',
    scene: 'wrong passwords from 20 sources (sqlite)',
  },
  {
    mistake: 'sources that keep failing get more turns than others',
    file: 'src/access/gate/lanes.ts',
    from: 'known: 4, usual: 3, late: 1',
    to: 'known: 4, usual: 3, late: 100',
    scene: 'wrong passwords from one source (postgres)',
  },
  {
    mistake: 'hashes run on the event loop',
    file: 'src/security/passwords.ts',
    from: "import { hash, verify } from '@node-rs/argon2';",
    to: "import { hash, verifySync as verify } from '@node-rs/argon2';",
    scene: 'right passwords of one known device (sqlite)',
  },
];
