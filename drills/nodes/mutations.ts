import type { Mutation } from '../drill.ts';

export const nodesMutations: readonly Mutation[] = [
  {
    mistake: 'nodes that start together all create the tables',
    file: 'src/store/migrate.ts',
    from: '    await takeTurn(trx);\n    await makeMarks(trx);',
    to: '    await makeMarks(trx);',
    scene: 'started simultaneously on an empty database',
  },
  {
    mistake: 'losing the race for an address causes a 500',
    file: 'src/store/accounts/accounts.ts',
    from: "    .onConflict((conflict) => conflict.column('email_key').doNothing())\n",
    to: '',
    scene: 'one address is registered 20 times',
  },
  {
    mistake: 'the number of pending guesses is unlimited',
    file: 'src/store/access/lockouts.ts',
    from: '{pending} = 0 or',
    to: '{pending} >= 0 or',
    scene: '40 wrong passwords',
  },
  {
    mistake: 'a used link can be used again',
    file: 'src/store/access/reset-links.ts',
    from: "    .where('used_at', 'is', null)\n    .returning('token_hash')",
    to: "    .returning('token_hash')",
    scene: 'a reset link is used 20 times',
  },
  {
    mistake: 'each source is counted only by itself',
    file: 'src/store/letters/mail-limits.ts',
    from: '    hourly(most * sourcesCounted),\n',
    to: '',
    scene: '24 links requested by six sources, 12 an hour allowed',
  },
  {
    mistake: 'nodes count without locking',
    file: 'src/store/limits.ts',
    from: "if (engineOf(trx) === 'sqlite') return;",
    to: "if (engineOf(trx) !== 'sqlite') return;",
    scene: '40 links requested from one address, 10 allowed',
  },
  {
    mistake: 'a used-up promo code is accepted once more',
    file: 'src/store/accounts/promo-codes.ts',
    from: '    .where(hasUses)\n    .where(isInTime(now))\n    .returning',
    to: '    .where(isInTime(now))\n    .returning',
    scene: 'a promo code of 5 uses is used 20 times',
  },
  {
    mistake: 'one node claims emails that the other is sending',
    file: 'src/store/letters/claim-letters.ts',
    from: ".where('outbox.leased_until', '<=', now)",
    to: ".where('outbox.leased_until', '>=', 0)",
    scene: '40 emails',
  },
  {
    mistake: 'a token older than the last two stays valid',
    file: 'src/journeys/session/refresh-session.ts',
    from: "if (generation < session.generation - 1) return 'copy';",
    to: "if (generation < session.generation - 9) return 'copy';",
    scene: 'a copied token',
  },
];
