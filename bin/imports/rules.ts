import type { Import, Module } from './modules.ts';
import { folders, kinds, type Place, placeOf, type Room } from './rooms.ts';

/** They put the others together, or show them. */
const outermost: readonly Room[] = ['server', 'site', 'cli', 'gallery'];
const everything = [...folders, ...kinds].filter((room) => !outermost.includes(room));

/**
 * Who may import whom: each room itself, these, and of the journeys only its own and the parts of any. The words of
 * the contract are for all but `security`, which knows nothing of ours.
 */
const mayImport: Readonly<Record<Room, readonly Room[]>> = {
  server: [...everything, 'site'],
  site: everything,
  // A second way in, beside the server.
  cli: [...everything, 'server'],
  contract: [],
  messages: ['contract'],
  security: [],
  store: ['contract'],
  outbox: ['messages', 'store', 'contract'],
  // The one way in and out of an account, which every journey ends in.
  access: ['security', 'store', 'outbox', 'contract'],
  'phone-calls': ['messages', 'store', 'contract'],
  // What operators decide about accounts is what their owners' journeys do.
  operations: ['access', 'journey decision', 'security', 'outbox', 'store', 'contract'],
  'development-inbox': ['outbox', 'phone-calls', 'http', 'messages', 'store', 'contract'],
  http: ['contract', 'store', 'security'],
  browser: ['contract', 'messages'],
  ui: ['browser', 'contract', 'messages'],
  'journey contract': ['contract'],
  'journey decision': ['journey contract', 'contract', 'security', 'store', 'outbox', 'phone-calls', 'access'],
  'journey routes': ['journey contract', 'journey decision', 'operations', 'contract', 'http'],
  'journey screen': ['journey contract', 'journey part', 'contract', 'messages', 'browser', 'ui'],
  'journey part': ['journey contract', 'contract', 'messages', 'browser', 'ui'],
  gallery: ['states', 'site', 'contract', 'messages', 'browser', 'ui'],
  states: [
    'gallery',
    'site',
    'contract',
    'messages',
    'browser',
    'ui',
    'journey contract',
    'journey screen',
    'journey part',
  ],
  test: [],
};

/** Rooms whose code runs in a browser, so it may not know Node. */
const forBrowsers: readonly Room[] = [
  'contract',
  'browser',
  'ui',
  'gallery',
  'states',
  'journey contract',
  'journey screen',
  'journey part',
];

/** Rooms that may use only these packages; all others choose freely. */
const packages: Partial<Record<Room, RegExp>> = { contract: /^zod(\/|$)/, 'journey contract': /^zod(\/|$)/ };

/** Exceptions, each with its reason. */
const exceptions: readonly { from: string; specifier: RegExp; why: string }[] = [
  {
    from: 'src/contract/fields/phone.ts',
    specifier: /^libphonenumber-js(\/|$)/,
    why: 'both sides read a phone number by the same rules',
  },
];

/** What is wrong with the imports of these modules, one line each. */
export function importProblems(modules: readonly Module[], targetExists: (target: string) => boolean): string[] {
  const problems = modules.flatMap((module) =>
    moduleProblems(module, targetExists).map((problem) => `${module.path}: ${problem}`),
  );
  return [...new Set(problems)];
}

function moduleProblems(module: Module, targetExists: (target: string) => boolean): string[] {
  const place = placeOf(module.path);
  if (!place) return ['is in no room of the house'];
  const missing = (target: string) => (targetExists(target) ? undefined : 'there is no such file');
  const problems =
    /\/index\.tsx?$/.test(module.path) || module.barrel ? ['is a barrel: import from where things are'] : [];
  for (const one of module.imports) {
    if (exceptions.some(({ from, specifier }) => from === module.path && specifier.test(one.specifier))) continue;
    const problem =
      one.target === undefined
        ? packageProblem(place, one)
        : missing(one.target) || styleProblem(module, one) || fileProblem(place, one);
    if (problem) problems.push(`${one.specifier}: ${problem}`);
  }
  return problems;
}

function packageProblem({ room }: Place, { specifier }: Import): string | undefined {
  if (specifier.startsWith('node:') && forBrowsers.includes(room))
    return `${room} runs in browsers, which have no Node`;
  const allowed = packages[room];
  return allowed && !allowed.test(specifier) ? `${room} may use no package but zod` : undefined;
}

/** A style sheet is part of the component beside it, of whatever kind that is; what two need is a component. */
function styleProblem({ path }: Module, { target = '' }: Import): string | undefined {
  if (!target.endsWith('.module.css')) return undefined;
  const own = target.slice(0, -'.module.css'.length) === path.replace(/(\.(part|screen))?\.tsx$/, '');
  return own ? undefined : 'a style sheet is for the component beside it alone: use that';
}

/** What a decision is given: all of the service. Its type is for everyone on the server, its making for nobody. */
const service = 'src/server/service.ts';

const mayNameTheService: readonly Room[] = [
  'access',
  'http',
  'journey decision',
  'journey routes',
  'development-inbox',
];

function fileProblem(from: Place, { target = '', typeOnly }: Import): string | undefined {
  if (from.room === 'test' || !target.startsWith('src/') || target.endsWith('.css')) return undefined;
  if (target === service && typeOnly && mayNameTheService.includes(from.room)) return undefined;
  const to = placeOf(target);
  if (!to) return 'is in no room of the house';
  if (to.room === 'test') return 'only tests may import what is for tests';
  // States show parts of other journeys, with replies to the requests that these send.
  const isShared = to.room === 'journey part' || (from.room === 'states' && to.room === 'journey contract');
  if (from.journey && to.journey && from.journey !== to.journey && !isShared)
    return 'no journey imports another: what two need moves down';
  if (to.room === from.room || mayImport[from.room].includes(to.room)) return undefined;
  return `${from.room} may not import ${to.room}`;
}
