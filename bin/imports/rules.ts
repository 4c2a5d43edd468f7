import type { Import, Module } from './modules.ts';
import { folders, kinds, type Place, placeOf, type Room } from './rooms.ts';

/** The outermost folders, which assemble or present the others. */
const outermost: readonly Room[] = ['server', 'site', 'cli', 'gallery'];
const everything = [...folders, ...kinds].filter((room) => !outermost.includes(room));

/**
 * The rooms that each room may import, besides itself. A journey may import only its own files, and the parts of any
 * journey. Every room may use the contract, except `security` and `outgoing`, which know nothing of the product.
 */
const mayImport: Readonly<Record<Room, readonly Room[]>> = {
  server: [...everything, 'site'],
  site: everything,
  // A second entry point, besides the server.
  cli: [...everything, 'server'],
  contract: [],
  messages: ['contract'],
  // Timers, bounded maps and files of operators, with nothing of the product.
  runtime: ['contract'],
  security: ['runtime'],
  store: ['contract', 'runtime'],
  outgoing: [],
  delivery: ['store', 'contract', 'runtime'],
  outbox: ['messages', 'store', 'contract', 'outgoing', 'delivery', 'runtime'],
  webhooks: ['store', 'contract', 'outgoing', 'delivery', 'runtime'],
  messengers: ['security', 'contract', 'outgoing', 'webhooks'],
  // The only place that grants and ends access to accounts; all journeys use it.
  access: ['security', 'store', 'outbox', 'contract', 'runtime'],
  'phone-calls': ['messages', 'store', 'contract', 'outgoing'],
  // Operators' decisions reuse the decisions of journeys.
  operations: ['access', 'journey decision', 'security', 'outbox', 'webhooks', 'store', 'contract'],
  'development-inbox': ['outbox', 'phone-calls', 'http', 'messages', 'store', 'contract'],
  http: ['contract', 'store', 'security', 'runtime'],
  browser: ['contract', 'messages'],
  ui: ['browser', 'contract', 'messages'],
  'journey contract': ['contract'],
  'journey decision': [
    'journey contract',
    'contract',
    'security',
    'store',
    'devices store',
    'outbox',
    'phone-calls',
    'access',
    'delivery',
    'runtime',
  ],
  'journey routes': ['journey contract', 'journey decision', 'operations', 'contract', 'http'],
  'journey screen': ['journey contract', 'journey part', 'contract', 'messages', 'browser', 'ui'],
  'journey part': ['journey contract', 'contract', 'messages', 'browser', 'ui'],
  // Its examples have the types of contracts.
  gallery: ['states', 'journey contract', 'journey part', 'site', 'contract', 'messages', 'browser', 'ui'],
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
  'devices store': ['journey contract', 'store', 'contract', 'runtime'],
  test: [],
};

/** Rooms whose code runs in browsers, so it must not use Node. */
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

/** Rooms that may use only these packages; all others may use any. */
const packages: Partial<Record<Room, RegExp>> = { contract: /^zod(\/|$)/, 'journey contract': /^zod(\/|$)/ };

/** Exceptions, each with its reason. */
const exceptions: readonly { from: string; specifier: RegExp; why: string }[] = [
  {
    from: 'src/contract/fields/phone.ts',
    specifier: /^libphonenumber-js(\/|$)/,
    why: 'both sides read a phone number by the same rules',
  },
  {
    from: 'src/ui/palette/palette.tsx',
    specifier: /\/devices\/contract\/computers\.ts$/,
    why: 'it finds devices on the pages of both wings, and its code loads only when somebody opens it',
  },
];

/** The problems in the imports of these modules, one line each. */
export function importProblems(modules: readonly Module[], targetExists: (target: string) => boolean): string[] {
  const problems = modules.flatMap((module) =>
    moduleProblems(module, targetExists).map((problem) => `${module.path}: ${problem}`),
  );
  return [...new Set(problems)];
}

function moduleProblems(module: Module, targetExists: (target: string) => boolean): string[] {
  const place = placeOf(module.path);
  if (!place) return ['is in no known folder of src (docs/house.md)'];
  const missing = (target: string) => (targetExists(target) ? undefined : 'the file does not exist');
  const problems =
    /\/index\.tsx?$/.test(module.path) || module.barrel ? ['is a barrel: import from the defining modules'] : [];
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
  return allowed && !allowed.test(specifier) ? `${room} may use only the package zod` : undefined;
}

/** A style sheet belongs to the component beside it. A style that two components need becomes a component. */
function styleProblem({ path }: Module, { target = '' }: Import): string | undefined {
  if (!target.endsWith('.module.css')) return undefined;
  const own = target.slice(0, -'.module.css'.length) === path.replace(/(\.(part|screen))?\.tsx$/, '');
  return own ? undefined : 'only the component beside a style sheet may import it: use that component';
}

/** May import accounts, which never import it. */
const otherWing = 'devices';

/** The service, which every decision receives. All server code may import its type, but must not create one. */
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
  if (!to) return 'is in no known folder of src (docs/house.md)';
  if (to.room === 'test') return 'only tests may import test helpers';
  if (to.journey === otherWing && from.journey !== otherWing && !outermost.includes(from.room))
    return 'accounts may not import devices, which bring along what accounts need (server/wings.ts)';
  // States show parts of other journeys, with mocked responses to their requests.
  const isShared = to.room === 'journey part' || (from.room === 'states' && to.room === 'journey contract');
  if (from.journey && to.journey && from.journey !== to.journey && !isShared)
    return 'a journey may not import another: move shared code to a lower layer';
  if (to.room === from.room || mayImport[from.room].includes(to.room)) return undefined;
  return `${from.room} may not import ${to.room}`;
}
