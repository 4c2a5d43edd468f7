import type { Mutation } from '../drill.ts';

export const nodesMutations: readonly Mutation[] = [
  {
    mistake: 'nodes that start together all create the tables',
    place: 'migrate-together',
    change: 'remove',
    scene: 'started simultaneously on an empty database',
  },
  {
    mistake: 'losing the race for an address causes a 500',
    place: 'registered-twice',
    change: 'remove',
    scene: 'one address is registered 20 times',
  },
  {
    mistake: 'the number of pending guesses is unlimited',
    place: 'unlimited-pending-guesses',
    change: { word: ['{pending} = 0', '{pending} >= 0'] },
    scene: '40 wrong passwords',
  },
  {
    mistake: 'a used link can be used again',
    place: 'link-used-again',
    change: 'remove',
    scene: 'a reset link is used 20 times',
  },
  {
    mistake: 'each source is counted only by itself',
    place: 'sources-apart',
    change: 'remove',
    scene: '24 links requested by six sources, 12 an hour allowed',
  },
  {
    mistake: 'nodes count without locking',
    place: 'count-together',
    change: { word: ['===', '!=='] },
    scene: '40 links requested from one address, 10 allowed',
  },
  {
    mistake: 'a used-up promo code is accepted once more',
    place: 'promo-code-again',
    change: 'remove',
    scene: 'a promo code of 5 uses is used 20 times',
  },
  {
    mistake: 'a token older than the last two stays valid',
    place: 'old-token-continues',
    change: { number: 9 },
    scene: 'a copied token',
  },
  {
    mistake: 'a silence is reported at each evaluation of alarms',
    place: 'alarm-reported-again',
    change: { word: ['===', '!=='] },
    scene: 'src/journeys/alarms/alarms.test.ts',
  },
  {
    mistake: 'an outage of ours counts as silence of the devices',
    place: 'outage-counts-as-silence',
    change: { number: 90_000_000 },
    scene: 'src/journeys/alarms/alarms.test.ts',
  },
  {
    mistake: 'the undo of a second change deletes the undo of the first',
    place: 'undo-deletes-earlier-changes',
    change: 'remove',
    scene: 'src/journeys/account/contacts/address-theft.test.ts',
  },
];
