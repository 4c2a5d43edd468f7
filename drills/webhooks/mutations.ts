import type { Mutation } from '../drill.ts';

export const webhookMutations: readonly Mutation[] = [
  {
    mistake: 'a webhook counts as delivered before it is sent',
    place: 'delivered-before-sent',
    change: { before: 'await markDelivered(store, { id, at: now() });' },
    scene: 'sqlite',
  },
  {
    mistake: 'a webhook claimed by a dead node is never sent',
    place: 'webhook-lease-never-ends',
    change: { word: ["'<=', now", "'=', 0"] },
    scene: 'postgres',
  },
  {
    mistake: 'webhooks of one account overtake each other',
    place: 'webhooks-overtake',
    change: 'remove',
    scene: 'src/webhooks/deliveries.test.ts',
  },
  {
    mistake: 'a signature does not cover the id',
    place: 'signature-without-id',
    change: { word: ['{id}.', '{timestamp}.'] },
    scene: 'sqlite',
  },
];
