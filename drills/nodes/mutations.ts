import type { Mutation } from '../drill.ts';

export const nodesMutations: readonly Mutation[] = [
  {
    mistake: 'nodes that start together all make the tables',
    place: 'migrate-together',
    change: 'remove',
    scene: 'started at once on an empty database',
  },
  {
    mistake: 'an address that somebody else was quicker to register is a failure of ours',
    place: 'registered-twice',
    change: 'remove',
    scene: 'one address is registered 20 times',
  },
  {
    mistake: 'any number of guesses may be under way',
    place: { file: 'src/store/access/lockouts.ts', code: 'const attemptsReserved = ' },
    change: { word: ['{pending} = 0', '{pending} >= 0'] },
    scene: '40 wrong passwords',
  },
  {
    mistake: 'a link that was used may be used again',
    place: {
      file: 'src/store/access/reset-links.ts',
      code: ".where('used_at', 'is', null)\n    .returning('token_hash')",
    },
    change: 'remove',
    scene: 'a reset link is used 20 times',
  },
  {
    mistake: 'each source counts for itself alone',
    place: 'sources-apart',
    change: 'remove',
    scene: '24 links are asked for by six sources, 12 an hour allowed',
  },
  {
    mistake: 'nodes do not wait for each other when they count',
    place: 'count-together',
    change: { word: ['===', '!=='] },
    scene: '40 links are asked for from one address, 10 allowed',
  },
  {
    mistake: 'a promo code that is used up is used once more',
    place: 'promo-code-again',
    change: 'remove',
    scene: 'a promo code of 5 uses is used 20 times',
  },
  {
    mistake: 'what one node is sending is claimed by the other',
    place: 'claimed-twice',
    change: { word: ["'<=', now", "'>=', 0"] },
    scene: '40 letters',
  },
  {
    mistake: 'a token from before the last two goes on',
    place: 'old-token-continues',
    change: { number: 9 },
    scene: 'a copied token',
  },
];
