// Checks the import rules of `src`, and that no module of the project imports itself, even through others; `npm test`
// runs it. Prints counts, so that an empty result is visible.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { parseSync } from 'vite';
import { inProject, root } from '../steps/places.mjs';

/** One import (or re-export) of a module. */
interface Import {
  /** The specifier as written. */
  readonly specifier: string;
  /** The path of our own file, relative to the project's folder; undefined for a package or a built-in module. */
  readonly target: string | undefined;
  /** `import type`, which does not exist at run time. */
  readonly typeOnly: boolean;
}

interface Module {
  /** Relative to the project's folder, with `/` on every system. */
  readonly path: string;
  readonly imports: readonly Import[];
  /** Contains only re-exports of other modules. */
  readonly barrel: boolean;
}

const isModule = (name: string) => /\.(tsx?|js)$/.test(name) && !name.endsWith('.d.ts');

/** Reads all modules below a folder of the project. */
export function readModules(root: string, folder: string): Module[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && isModule(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !path.includes('/node_modules/'))
    .sort()
    .map((path) => readModule(path, readFileSync(join(root, path), 'utf8')));
}

/** Reads the imports of one module. Throws if it cannot be parsed, because it would then go unchecked. */
export function readModule(path: string, source: string): Module {
  const { module, program, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`);
  const statements = [
    ...module.staticImports.map(({ start, moduleRequest }) => ({ start, specifier: moduleRequest.value })),
    ...module.staticExports.flatMap(({ start, entries }) =>
      entries.flatMap(({ moduleRequest }) => (moduleRequest ? [{ start, specifier: moduleRequest.value }] : [])),
    ),
  ].map(({ start, specifier }) => ({ ...named(path, specifier), typeOnly: isTypeOnly(source.slice(start)) }));
  const dynamic = module.dynamicImports.flatMap(({ moduleRequest: { start, end } }) => {
    const literal = /^(['"`])([^$]*)\1$/.exec(source.slice(start, end));
    return literal ? [{ ...named(path, literal[2] as string), typeOnly: false }] : [];
  });
  // The parser's list of imports omits `import('…').Type` in types.
  const inTypes = [...source.matchAll(/\bimport\(['"]([^'"]+)['"]\)\./g)].map(([, specifier = '']) => ({
    ...named(path, specifier),
    typeOnly: true,
  }));
  return { path, imports: [...statements, ...dynamic, ...inTypes], barrel: isBarrel(program.body) };
}

const isTypeOnly = (statement: string): boolean => /^(import|export)\s+type\b/.test(statement);

const named = (path: string, specifier: string) => ({
  specifier,
  // Vite reads a query, such as `?worker&url`.
  target: /^\.\.?\//.test(specifier) ? posix.join(posix.dirname(path), specifier.replace(/\?.*$/, '')) : undefined,
});

const isBarrel = (statements: readonly { type: string; source?: unknown }[]): boolean =>
  statements.length > 0 &&
  statements.every(({ type, source }) => /^Export(Named|All)Declaration$/.test(type) && source);

/**
 * Finds modules that import each other in a cycle, including imports of types: you cannot read, test or move one of them
 * without the others. Of cycles that share a module, reports one.
 */
export function cycleProblems(modules: readonly Module[]): string[] {
  const graph = new Map(modules.map(({ path, imports }) => [path, imports.flatMap(({ target }) => target ?? [])]));
  const known = new Set<string>();
  const problems: string[] = [];
  for (const path of graph.keys()) {
    const cycle = shortestCycle(graph, path);
    if (!cycle || cycle.some((one) => known.has(one))) continue;
    for (const one of cycle) known.add(one);
    problems.push(`cycle: ${cycle.join(' → ')}`);
  }
  return problems;
}

/** The shortest cycle through a module. */
function shortestCycle(graph: ReadonlyMap<string, readonly string[]>, start: string): string[] | undefined {
  const seen = new Set<string>();
  const trails = [[start]];
  // The loop also visits the trails that it adds, in the order of their length.
  for (const trail of trails)
    for (const target of graph.get(trail.at(-1) ?? '') ?? []) {
      if (target === start) return [...trail, start];
      if (!seen.has(target)) trails.push([...trail, target]);
      seen.add(target);
    }
  return undefined;
}

interface Place {
  readonly room: string;
  /** The folder of the journey that the file belongs to, if any. */
  readonly journey: string | undefined;
}

/** Classifies a file of `src`; undefined for an unknown folder. */
function placeOf(path: string): Place | undefined {
  const [, folder = '', second = '', ...rest] = path.split('/');
  const journey = journeyOf(folder, rest.length > 0 ? second : undefined);
  // Tests and their helpers may import everything.
  if (folder === 'testing' || /\.test\.tsx?$/.test(path)) return { room: 'test', journey };
  // States for the gallery are beside each screen and component, but do not belong to them.
  if (path.endsWith('.states.tsx')) return { room: 'states', journey };
  if (path.startsWith('src/devices/store/')) return { room: 'devices store', journey };
  if (journey !== undefined) return { room: kindOf(path), journey };
  return second !== '' && Object.hasOwn(mayImport, folder) ? { room: folder, journey } : undefined;
}

/** The wing of devices is one journey with tables of its own. */
function journeyOf(folder: string, name: string | undefined): string | undefined {
  if (folder === 'devices') return folder;
  return folder === 'journeys' ? name : undefined;
}

function kindOf(path: string): string {
  if (path.endsWith('.contract.ts') || path.startsWith('src/devices/contract/')) return 'journey contract';
  if (path.endsWith('.routes.ts')) return 'journey routes';
  if (/\.part\.tsx?$/.test(path)) return 'journey part';
  return path.endsWith('.ts') ? 'journey decision' : 'journey screen';
}

/** The outermost folders, which assemble or present the others. */
const outermost: readonly string[] = ['server', 'site', 'cli', 'gallery'];
/** All other rooms, except states and tests. */
const everything = '*';

/**
 * The rooms that each room may import, besides itself. A journey may import only its own files, and the parts of any
 * journey. Every room may use the contract, except `security` and `outgoing`, which know nothing of the product.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  server: [everything, 'site'],
  site: [everything],
  // A second entry point, besides the server.
  cli: [everything, 'server'],
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
const forBrowsers: readonly string[] = [
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
const packages: Readonly<Record<string, RegExp>> = { contract: /^zod(\/|$)/, 'journey contract': /^zod(\/|$)/ };

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

const mayNameTheService: readonly string[] = [
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
  const isInner = !outermost.includes(to.room) && to.room !== 'states';
  const isAllowed = (room: string) => room === to.room || (room === everything && isInner);
  if (to.room === from.room || mayImport[from.room]?.some(isAllowed)) return undefined;
  return `${from.room} may not import ${to.room}`;
}

if (process.argv[1] === import.meta.filename) {
  const modules = readModules(root, 'src');
  const imports = modules.reduce((sum, module) => sum + module.imports.length, 0);
  const others = ['bench', 'bin', 'build', 'drills', 'e2e'].flatMap((folder) => readModules(root, folder));
  const problems = [
    ...importProblems(modules, (target) => existsSync(inProject(target))),
    ...cycleProblems([...modules, ...others]),
  ];
  const rooms = new Set(modules.map(({ path }) => placeOf(path)?.room));

  if (modules.length < 100 || imports < modules.length)
    problems.push(
      `only ${modules.length} modules with ${imports} imports were read: the check looks in the wrong place`,
    );
  console.log(`${modules.length} modules in ${rooms.size} rooms, ${imports} imports`);
  if (problems.length > 0) {
    console.error(problems.join('\n'));
    process.exitCode = 1;
  }
}
