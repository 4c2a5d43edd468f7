import { globSync, readFileSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'vite';

const virtualId = 'virtual:page-texts';
/** The lists of pages, and the entry that hydrates each. */
const lists = [
  { pageList: 'src/site/pages.ts', name: 'pages', entry: 'src/site/entry.tsx' },
  { pageList: 'src/site/console-pages.ts', name: 'consolePages', entry: 'src/site/console-entry.tsx' },
] as const;

/** The messages of codes that requests return: `failure.<code>`. Every page has them all. */
const ofCodes = /^(?:failure|invalid|session_ended)\./;
/** Those of codes that single pages show: the template literal with their ids stands for all of them. */
const ofCodesOnPages = /^(?:concern|console_action)\./;

/**
 * Provides the prerenderer with the messages that each page can show: `virtual:page-texts` lists their ids in the order
 * of `all-pages.ts`. Without a build (`npm run dev`), each page has all messages: an edited screen may show new ones.
 */
export function pageTexts(): Plugin {
  return {
    name: 'page-texts',
    resolveId: (id) => (id === virtualId ? `\0${virtualId}` : undefined),
    async load(id) {
      if (id !== `\0${virtualId}`) return undefined;
      if (this.environment.mode === 'dev') return every;
      const messages: object = JSON.parse(readFileSync(resolve('dist/messages/en.json'), 'utf8'));
      const { pages, problems } = await readTexts(resolve(), Object.keys(messages));
      if (problems.length > 0) throw new Error(`Cannot determine the texts of each page:\n${problems.join('\n')}`);
      return `export default ${JSON.stringify(pages)}`;
    },
  };
}

const every = `
  import { allPages } from '/src/site/all-pages.ts';
  import messages from '/dist/messages/en.json';
  export default allPages.map(() => Object.keys(messages));
`;

/**
 * The messages of each page, in the order of `all-pages.ts`: those whose ids the modules contain that its screen or the
 * frame around every screen imports, and those of codes. Also the messages that no code contains.
 */
export async function readTexts(root: string, ids: readonly string[]) {
  const read = (path: string) => moduleOf(readFileSync(join(root, path), 'utf8'), path);
  const known = new Map<string, ReturnType<typeof read>>();
  const moduleAt = (path: string) => {
    const module = known.get(path) ?? read(path);
    known.set(path, module);
    return module;
  };
  /** The modules that these import, directly or not, except pages. */
  function reach(...paths: readonly string[]): ReadonlySet<string> {
    const found = new Set(paths);
    for (const path of found)
      if (!lists.some(({ pageList }) => path === pageList)) for (const next of moduleAt(path).imports) found.add(next);
    return found;
  }
  const heads: string[] = [];
  for (const { pageList, name } of lists) {
    const list: Readonly<Record<string, readonly { head: string }[]>> = await import(
      pathToFileURL(join(root, pageList)).href
    );
    heads.push(...(list[name] ?? []).flatMap(({ head }) => [`${head}.page`, `${head}.description`]));
  }
  const sources = globSync('src/**/*.{ts,tsx}', { cwd: root }).map((path) => path.replaceAll('\\', '/'));
  const wordsOf = (paths: Iterable<string>) => new Set([...paths].flatMap((path) => [...moduleAt(path).words]));
  const shown = lists.flatMap(({ pageList, entry }) =>
    moduleAt(pageList)
      .imports.filter((path) => path.endsWith('.screen.tsx'))
      .map((screen) => reach(entry, screen)),
  );
  const said = new Set([...heads, ...wordsOf(sources.filter(isProduct))]);
  const codes = wordsOf(
    sources.filter((path) => /^src\/(?:contract\/(?:failures|concerns|operators)|browser\/requests\/)/.test(path)),
  );
  const isOfCode = (id: string, of: RegExp) => of.test(id) && codes.has(id.replace(of, ''));
  return {
    pages: shown.map((paths) => {
      const words = wordsOf(paths);
      const begins = [...paths]
        .flatMap((path) => moduleAt(path).templates)
        .filter((begin) => ofCodesOnPages.test(begin));
      return ids.filter((id) => words.has(id) || ofCodes.test(id) || begins.some((begin) => id.startsWith(begin)));
    }),
    problems: [...new Set(shown.flatMap((paths) => [...paths]))].flatMap((path) =>
      moduleAt(path)
        .templates.filter((begin) => !ofCodes.test(begin) && !ofCodesOnPages.test(begin))
        .filter((begin) => ids.some((id) => id.startsWith(begin)))
        .map((begin) => `${path}: \`${begin}…\`: write out each id`),
    ),
    unused: ids.filter((id) => !said.has(id) && ![ofCodes, ofCodesOnPages].some((of) => isOfCode(id, of))),
  };
}

const isProduct = (path: string) => !/\.(?:test|states)\.tsx?$|^src\/(?:gallery|messages|testing)\//.test(path);

/** Type imports do not exist at run time. */
const typeImports = /^import type [^;]*;|\btypeof import\([^)]*\)/gm;

function moduleOf(source: string, path: string) {
  const code = source.replace(typeImports, '');
  return {
    imports: [...code.matchAll(/\b(?:from|import)[\s(]*'(\.{1,2}\/[\w./-]+\.tsx?)'/g)].map(([, to = '']) =>
      posix.join(posix.dirname(path), to),
    ),
    /** Words, among them the ids of messages. */
    words: new Set(code.match(/[a-z][\w.]*\w/g)),
    /** How template literals begin that may be ids. */
    templates: [...code.matchAll(/`([a-z_]+\.[a-z_.]*)\$\{/g)].map(([, begin = '']) => begin),
  };
}
