import type { Mutation } from '../drill.ts';

export const databaseMutations: readonly Mutation[] = [
  {
    mistake: 'requests wait for the database without a time limit',
    file: 'src/store/budget.ts',
    from: 'databaseBudget = seconds(1.6)',
    to: 'databaseBudget = seconds(16)',
    scene: 'hung',
  },
  {
    mistake: 'after one timeout the database is not tried for a minute',
    file: 'src/store/postgres/pool.ts',
    from: 'const tryAgainAfter = 250;',
    to: 'const tryAgainAfter = 60_000;',
    scene: 'hung',
  },
  {
    mistake: 'a broken connection causes a 500',
    file: 'src/store/faults.ts',
    from: 'Query read timeout|Connection terminated|',
    to: 'Query read timeout|',
    scene: 'down',
  },
  {
    mistake: 'a session whose lookup fails counts as missing',
    file: 'src/journeys/session/refresh-session.ts',
    from: 'const rotated = await service.rotate({ id, generation, now });',
    to: "const rotated = await service.rotate({ id, generation, now }).catch(() => 'gone' as const);\n    if (rotated === 'gone') return { state: 'refused', reason: 'no_session', sessionId: id };",
    scene: 'down',
  },
  {
    mistake: 'a database without free connections causes a 500',
    file: 'src/store/faults.ts',
    from: '/^(?:08|28|40|53|57|58)|',
    to: '/^(?:08|28|40|58)|',
    scene: 'out of connections',
  },
  {
    mistake: 'a slow database counts as down',
    file: 'src/store/budget.ts',
    from: 'databaseBudget = seconds(1.6)',
    to: 'databaseBudget = seconds(0.6)',
    scene: 'slow (50 ms each way)',
  },
  {
    mistake: 'one more guess is allowed than documented',
    file: 'src/store/access/lockouts.ts',
    from: 'const allowedFailures = 5;',
    to: 'const allowedFailures = 6;',
    scene: 'restarted',
  },
];

export const bombMutations: readonly Mutation[] = [
  {
    mistake: 'headers have no time limit',
    file: 'src/server/app.ts',
    from: 'headersTimeout: seconds(10)',
    to: 'headersTimeout: seconds(14)',
    scene: 'slow headers (one byte every 0.5 s)',
  },
  {
    mistake: 'bodies have no time limit',
    file: 'src/server/app.ts',
    from: 'requestTimeout: seconds(15)',
    to: 'requestTimeout: seconds(60)',
    scene: 'slow bodies (one byte every 0.5 s)',
  },
  {
    mistake: 'bodies have no size limit',
    file: 'src/http/arrival/bodies.ts',
    from: 'bodyLimit = 16 * 1024',
    to: 'bodyLimit = 2 ** 30 + 1',
    scene: 'a declared body of 1 GB',
  },
  {
    mistake: 'bodies without Content-Length have no size limit',
    file: 'src/server/app.ts',
    from: '    bodyLimit,\n',
    to: '    bodyLimit: bodyLimit * 2 ** 16,\n',
    scene: 'endless chunks',
  },
  {
    mistake: 'the regular expression for nesting restarts at each bracket',
    file: 'src/http/arrival/bodies.ts',
    from: 'if (isExcessive(text))',
    to: String.raw`if (/\[+\{/.test(text) || isExcessive(text))`,
    scene: 'deep JSON',
  },
  {
    mistake: 'a backtracking regular expression parses Accept-Language',
    file: 'src/http/negotiation.ts',
    from: "const said = String(headers[name] ?? '');",
    to: String.raw`const said = String(headers[name] ?? '').replace(/\s+$/, '');`,
    scene: '15,000 spaces in Accept-Language',
  },
  {
    mistake: 'a backtracking regular expression parses Accept-Encoding',
    file: 'src/http/negotiation.ts',
    from: "const wish = String(request.headers['accept-encoding'] ?? '');",
    to: String.raw`const wish = String(request.headers['accept-encoding'] ?? '').replace(/\s+$/, '');`,
    scene: '15,000 spaces in Accept-Encoding',
  },
  {
    mistake: 'a backtracking regular expression parses cookies',
    file: 'src/http/session/csrf.ts',
    from: 'const token = request.cookies[csrfCookie];',
    to: String.raw`const token = request.cookies[csrfCookie]?.replace(/\s+$/, '');`,
    scene: '15,000 spaces in a cookie',
  },
  {
    mistake: 'a backtracking regular expression parses X-Forwarded-For',
    file: 'src/http/arrival/visitor.ts',
    from: 'const told = request.ip;',
    to: String.raw`const told = String(request.headers['x-forwarded-for']).match(/,+\d/) ? '' : request.ip;`,
    scene: '15,000 commas in X-Forwarded-For',
  },
];
