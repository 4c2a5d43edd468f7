import type { Mutation } from '../drill.ts';

export const databaseMutations: readonly Mutation[] = [
  {
    mistake: 'requests wait for the database as long as it takes',
    file: 'src/store/budget.ts',
    from: 'databaseBudget = seconds(1.6)',
    to: 'databaseBudget = seconds(16)',
    scene: 'hung',
  },
  {
    mistake: 'a database that was silent once is not asked for a minute',
    file: 'src/store/postgres/pool.ts',
    from: 'const tryAgainAfter = 250;',
    to: 'const tryAgainAfter = 60_000;',
    scene: 'hung',
  },
  {
    mistake: 'a connection that breaks is a failure of ours',
    file: 'src/store/faults.ts',
    from: 'Query read timeout|Connection terminated|',
    to: 'Query read timeout|',
    scene: 'down',
  },
  {
    mistake: 'a session that cannot be looked up counts as none',
    file: 'src/journeys/session/refresh-session.ts',
    from: 'const rotated = await service.rotate({ id, generation, now });',
    to: "const rotated = await service.rotate({ id, generation, now }).catch(() => 'gone' as const);\n    if (rotated === 'gone') return { state: 'refused', reason: 'no_session', sessionId: id };",
    scene: 'down',
  },
  {
    mistake: 'a database without connections is a failure of ours',
    file: 'src/store/faults.ts',
    from: '/^(?:08|28|40|53|57|58)|',
    to: '/^(?:08|28|40|58)|',
    scene: 'out of connections',
  },
  {
    mistake: 'a database that is slow counts as one that is down',
    file: 'src/store/budget.ts',
    from: 'databaseBudget = seconds(1.6)',
    to: 'databaseBudget = seconds(0.6)',
    scene: 'slow (50 ms each way)',
  },
  {
    mistake: 'one more guess is allowed than we say',
    file: 'src/store/lockouts.ts',
    from: 'const allowedFailures = 5;',
    to: 'const allowedFailures = 6;',
    scene: 'restarted',
  },
];
