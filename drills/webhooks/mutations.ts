import type { Mutation } from '../drill.ts';

export const webhookMutations: readonly Mutation[] = [
  {
    mistake: 'a signature does not cover the id',
    place: 'signature-without-id',
    change: { word: ['{id}.', '{timestamp}.'] },
    scene: 'sqlite',
  },
];
