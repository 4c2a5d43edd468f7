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
    file: 'src/store/access/lockouts.ts',
    from: 'const allowedFailures = 5;',
    to: 'const allowedFailures = 6;',
    scene: 'restarted',
  },
];

export const bombMutations: readonly Mutation[] = [
  {
    mistake: 'headers may take as long as they like',
    file: 'src/server/app.ts',
    from: 'headersTimeout: seconds(10)',
    to: 'headersTimeout: seconds(14)',
    scene: 'slow headers (a byte each half second)',
  },
  {
    mistake: 'a body may take as long as it likes',
    file: 'src/server/app.ts',
    from: 'requestTimeout: seconds(15)',
    to: 'requestTimeout: seconds(60)',
    scene: 'slow bodies (a byte each half second)',
  },
  {
    mistake: 'a body may be as large as it likes',
    file: 'src/http/arrival/bodies.ts',
    from: 'bodyLimit = 16 * 1024',
    to: 'bodyLimit = 2 ** 30 + 1',
    scene: 'a gigabyte announced',
  },
  {
    mistake: 'a body that does not say its size may be as large as it likes',
    file: 'src/server/app.ts',
    from: '    bodyLimit,\n',
    to: '    bodyLimit: bodyLimit * 2 ** 16,\n',
    scene: 'chunks without an end',
  },
  {
    mistake: 'nesting is found by a pattern that begins anew at each bracket',
    file: 'src/http/arrival/bodies.ts',
    from: 'if (isExcessive(text))',
    to: String.raw`if (/\[+\{/.test(text) || isExcessive(text))`,
    scene: 'deep JSON',
  },
  {
    mistake: 'a header is read by a pattern that looks back again and again',
    file: 'src/http/negotiation.ts',
    from: "const said = String(headers[name] ?? '');",
    to: String.raw`const said = String(headers[name] ?? '').replace(/\s+$/, '');`,
    scene: '15,000 spaces in Accept-Language',
  },
  {
    mistake: 'so is the one that names encodings',
    file: 'src/http/negotiation.ts',
    from: "const wish = String(request.headers['accept-encoding'] ?? '');",
    to: String.raw`const wish = String(request.headers['accept-encoding'] ?? '').replace(/\s+$/, '');`,
    scene: '15,000 spaces in Accept-Encoding',
  },
  {
    mistake: 'so is a cookie',
    file: 'src/http/session/csrf.ts',
    from: 'const token = request.cookies[csrfCookie];',
    to: String.raw`const token = request.cookies[csrfCookie]?.replace(/\s+$/, '');`,
    scene: '15,000 spaces in a cookie',
  },
  {
    mistake: 'so is what proxies say of an address',
    file: 'src/http/arrival/visitor.ts',
    from: 'const told = request.ip;',
    to: String.raw`const told = String(request.headers['x-forwarded-for']).match(/,+\d/) ? '' : request.ip;`,
    scene: '15,000 commas in X-Forwarded-For',
  },
];
