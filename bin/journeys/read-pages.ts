import { readFileSync } from 'node:fs';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { readModule } from '../imports/modules.ts';
import { readCatalogs } from '../steps/messages.ts';
import { inProject } from '../steps/places.mjs';
import { type Lead, lastPlace, leadsOf, requestsIn, type Words } from './leads.ts';
import { type Move, movesOf } from './moves.ts';
import { componentsOf, type Step, stepsOf } from './steps.ts';
import { calledIn, literalOf, nameOf, nodesIn, type Parsed, parse } from './syntax.ts';

/** Of the list of pages, what is drawn. */
interface Route {
  readonly path: string;
  readonly head: string;
  readonly middleware?: readonly string[];
}

/** A page, as far as it can be drawn. */
export interface Drawn {
  readonly path: string;
  /** In English, without what every page has. */
  readonly title: string;
  readonly leads: readonly Lead[];
  readonly guards: readonly Lead[];
  readonly steps: readonly Step[];
  readonly moves: readonly Move[];
  /** The screen's own component. */
  readonly root: string;
  /** What it asks the service. */
  readonly requests: readonly Endpoint[];
}

const list = 'src/site/pages.ts';
/** Comes before every request that needs a session. */
const sessions = 'src/browser/requests/session.ts';
const read = (path: string) => readFileSync(inProject(path), 'utf8');
const isPage = (path: string) => path.startsWith('src/journeys/') || path.startsWith('src/site/');

/** A module and all of ours that it runs, now or later. */
function reach(path: string, found = new Map<string, Parsed>()): Map<string, Parsed> {
  if (found.has(path) || !/\.tsx?$/.test(path)) return found;
  const source = read(path);
  found.set(path, parse(path, source));
  for (const { target, typeOnly } of readModule(path, source).imports) if (target && !typeOnly) reach(target, found);
  return found;
}

/** Reads every page, and where all of them lead alike. */
export async function readPages(): Promise<{ pages: readonly Drawn[]; everywhere: readonly Lead[] }> {
  // By a computed address: its types are those of a browser, and this program runs in none.
  const { pages }: { pages: readonly Route[] } = await import(inProject(list));
  const screens = readModule(list, read(list)).imports.flatMap(({ target, typeOnly }) =>
    target?.endsWith('.screen.tsx') && !typeOnly ? [target] : [],
  );
  if (screens.length !== pages.length) throw new Error(`${list}: ${pages.length} pages, ${screens.length} screens`);
  const reached = screens.map((screen) => reach(screen));
  const isEverywhere = (path: string) => reached.every((modules) => modules.has(path));
  const common = [...(reached[0] as Map<string, Parsed>).values()].filter(({ path }) => isEverywhere(path));
  const endpoints = await readEndpoints(reached.flatMap((modules) => [...modules.keys()]));
  const words = wordsOf(endpoints);
  const guards = readGuards();
  const drawn = pages.map(({ path, head, middleware = [] }, at) => {
    const modules = [...(reached[at] as Map<string, Parsed>).values()].filter((module) => !isEverywhere(module.path));
    const components = modules.filter((module) => isPage(module.path)).flatMap(componentsOf);
    const steps = components.flatMap((component) => stepsOf(component, words));
    const screen = reached[at]?.get(screens[at] as string) as Parsed;
    return {
      path,
      title: words.text(`${head}.page`),
      leads: modules.flatMap((module) => leadsOf(module, words)),
      guards: middleware.flatMap((name) => guards.get(name) ?? []),
      steps,
      moves: components.flatMap((component) => movesOf(component, { components, steps, words })),
      root: rootOf(screen),
      requests: [
        ...new Set(modules.filter((module) => module.path !== sessions).flatMap(({ program }) => requestsIn(program))),
      ].flatMap((name) => endpoints.get(name) ?? []),
    };
  });
  return { pages: drawn, everywhere: common.flatMap((module) => leadsOf(module, words)) };
}

function rootOf({ path, program }: Parsed): string {
  const exported = [...nodesIn(program)].find(([node]) => node.type === 'ExportDefaultDeclaration')?.[0];
  const name = exported && [...nodesIn(exported)].map(([node]) => nameOf(node.id)).find(Boolean);
  if (!name) throw new Error(`${path} exports no component`);
  return name;
}

async function readEndpoints(modules: readonly string[]): Promise<Map<string, Endpoint>> {
  const contracts = [...new Set(modules)].filter((path) => /^src\/contract\/|\.contract\.ts$/.test(path));
  const exports = await Promise.all(contracts.map((path) => import(inProject(path)) as Promise<object>));
  const isEndpoint = (value: unknown): value is Endpoint =>
    typeof value === 'object' && value !== null && 'failures' in value && 'path' in value;
  const found = exports.flatMap((module) => Object.entries(module)).filter(([, value]) => isEndpoint(value));
  return new Map(found as [string, Endpoint][]);
}

function wordsOf(endpoints: ReadonlyMap<string, Endpoint>): Words {
  const entries = readCatalogs().get('en')?.entries ?? [];
  const texts = new Map(entries.map(({ id, text }) => [id, text]));
  return {
    text(id) {
      const text = texts.get(id);
      if (text === undefined) throw new Error(`${id} is not in en.po`);
      return text;
    },
    request: (name) => endpoints.get(name)?.summary,
  };
}

/** Where each middleware sends whoever may not see a page. */
function readGuards(): Map<string, Lead[]> {
  const path = 'src/browser/navigation/middleware.ts';
  const { program } = parse(path, read(path));
  const guards = new Map<string, Lead[]>();
  for (const [node, around] of nodesIn(program)) {
    const name = around.filter(({ type }) => type === 'Property').map(({ key }) => nameOf(key))[0];
    const called = calledIn(node);
    const to = called === 'pathIn' ? literalOf(node.arguments?.[1]) : called === 'lastPlace' && lastPlace;
    if (name && to) guards.set(name, [...(guards.get(name) ?? []), { to, event: `guard ${name}` }]);
  }
  return guards;
}
