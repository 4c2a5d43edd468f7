import { posix } from 'node:path';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { endReasons } from '../../src/contract/failures.ts';
import { fieldCodesOf } from '../../src/contract/fields/field-codes.ts';
import { type ModuleTexts, readModuleTexts } from './module-texts.ts';

/** Access to the modules and messages of a project. */
export interface Project {
  /** The ids of all messages. */
  readonly ids: ReadonlySet<string>;
  /** The source of a module, by its path in the project. */
  readonly read: (path: string) => string;
  /** The exports of a contract module: endpoints and others. */
  readonly load: (path: string) => Promise<Readonly<Record<string, unknown>>>;
}

export interface PageTextsResult {
  /** The messages that the code can show. */
  readonly texts: readonly string[];
  /** Code that prevents a certain result, one line each. */
  readonly problems: readonly string[];
}

type Modules = ReadonlyMap<string, ModuleTexts>;

/** Opens the modules of a project; reads each once. */
export function openTexts(project: Project) {
  const known = new Map<string, ModuleTexts>();
  const moduleAt = (path: string) => {
    const module = known.get(path) ?? readModuleTexts(path, project.read(path));
    known.set(path, module);
    return module;
  };

  /** A module and everything that it imports, including dynamic imports, but not pages, which are read separately. */
  function reach(path: string, found = new Map<string, ModuleTexts>()): Map<string, ModuleTexts> {
    if (found.has(path)) return found;
    const module = moduleAt(path);
    found.set(path, module);
    if (path === pageList) return found;
    for (const target of targetsOf(path, module)) reach(target, found);
    return found;
  }

  return {
    /** The screens of `pages.ts`, in its order. */
    screens: (): readonly string[] => targetsOf(pageList, moduleAt(pageList)).filter((path) => path.endsWith('.tsx')),

    /** The messages of a page: of the frame around every page, and of its screen. Only screens show failures. */
    async page(entry: string, screen: string): Promise<PageTextsResult> {
      const own = reach(screen);
      const around = readTexts(project, reach(entry), []);
      const endpoints = await endpointsOf(project, own);
      const inside = readTexts(project, own, endpoints.endpoints);
      const shown = new Set([...around.texts.filter((id) => spaceOf(id) !== 'failure'), ...inside.texts]);
      return {
        texts: [...project.ids].filter((id) => shown.has(id)),
        problems: [...new Set([...around.problems, ...endpoints.problems, ...inside.problems])],
      };
    },

    /** Every message whose id a program contains. */
    program: (entry: string): readonly string[] =>
      [...reach(entry).values()]
        .flatMap(({ words }) => words.map(({ text }) => text))
        .filter((id) => project.ids.has(id)),
  };
}

const pageList = 'src/site/pages.ts';

const targetsOf = (path: string, { imports }: ModuleTexts): readonly string[] =>
  imports
    .filter((specifier) => /^\.\.?\/.*\.(?:tsx?|js)$/.test(specifier))
    .map((specifier) => posix.join(posix.dirname(path), specifier));

interface EndpointsOfPage {
  readonly endpoints: readonly Endpoint[];
  readonly problems: readonly string[];
}

const isContract = (path: string) => /^src\/contract\/|\.contract\.ts$/.test(path);

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'failures' in value && 'path' in value;

/** Refreshes sessions. Every page imports it, but only pages with authenticated requests need its failures. */
const sessions = 'src/browser/requests/session-requests.ts';

/** The endpoints that these modules use. */
async function endpointsOf(project: Project, modules: Modules): Promise<EndpointsOfPage> {
  const asked = await Promise.all([...modules].map(([path, module]) => endpointsOfModule(project, path, module)));
  const endpoints = asked.flatMap(({ path, named }) => (path === sessions ? [] : named));
  const needed = endpoints.some(({ auth }) => auth) ? asked.find(({ path }) => path === sessions) : undefined;
  return { endpoints: [...endpoints, ...(needed?.named ?? [])], problems: asked.flatMap(({ problems }) => problems) };
}

async function endpointsOfModule(project: Project, path: string, module: ModuleTexts) {
  const named: Endpoint[] = [];
  const problems: string[] = [];
  for (const contract of isContract(path) ? [] : targetsOf(path, module).filter(isContract)) {
    const exported = Object.entries(await project.load(contract)).filter(([name]) => module.names.has(name));
    named.push(...exported.flatMap(([, value]) => (isEndpoint(value) ? [value] : [])));
    if (exported.length === 0) problems.push(`${path}: imports ${contract}, but uses none of its exports`);
  }
  return { path, named, problems };
}

/** The possible endings of ids that the code builds with a template. */
const endsOf = (endpoints: readonly Endpoint[]): Readonly<Record<string, readonly string[]>> => ({
  failure: endpoints.flatMap(({ failures }) => [
    ...Object.keys(failures),
    // The browser itself reports that it cannot store the token (`send.ts`).
    ...('csrf_failed' in failures ? ['cookies_blocked'] : []),
  ]),
  invalid: endpoints.flatMap(fieldCodesOf),
  session_ended: endReasons.filter((reason) => reason !== 'no_session'),
});

function readTexts({ ids }: Project, modules: Modules, endpoints: readonly Endpoint[]): PageTextsResult {
  const ends = endsOf(endpoints);
  // Contracts contain codes, but no message ids.
  const speaking = [...modules].filter(([path]) => !isContract(path));
  const readings = speaking.map(([path, module]) => {
    const { texts, problems } = readModule(ids, module, ends);
    return { texts, problems: problems.map(({ text, line }) => `${path}:${line}: ${text}`) };
  });
  const shown = new Set(readings.flatMap(({ texts }) => texts));
  const missing = [...shown].filter((id) => !ids.has(id)).map((id) => `${id} is not in en.po`);
  return { texts: [...shown], problems: [...readings.flatMap(({ problems }) => problems), ...missing] };
}

function readModule(ids: ReadonlySet<string>, module: ModuleTexts, ends: ReturnType<typeof endsOf>) {
  const spaces = new Set([...ids].map(spaceOf));
  const texts = module.fieldCodes.map((code) => `invalid.${code}`);
  const problems = [...module.problems];
  for (const { text, line } of module.words) {
    if (ids.has(text)) texts.push(text);
    else if (isIdLike(text) && spaces.has(spaceOf(text))) problems.push({ text: `"${text}" is not in en.po`, line });
  }
  for (const { text, line } of module.beginnings) {
    const [space = '', end] = text.split('.');
    if (end === '…' && ends[space]) texts.push(...ends[space].map((code) => `${space}.${code}`));
    else if (fitsSome(ids, text))
      problems.push({ text: `cannot determine the messages of \`${text}\`: write out each id`, line });
  }
  return { texts, problems };
}

const spaceOf = (id: string): string => id.split('.', 1)[0] as string;
const isIdLike = (text: string): boolean => /^[a-z_]+\.[a-z0-9_.]*$/.test(text);

/** Whether a template matches one of the ids. */
function fitsSome(ids: ReadonlySet<string>, template: string): boolean {
  if (!/^[a-z0-9_.…]+$/.test(template) || !template.includes('.')) return false;
  const form = new RegExp(`^${template.replaceAll('.', '\\.').replaceAll('…', '.+')}$`);
  return [...ids].some((id) => form.test(id));
}
