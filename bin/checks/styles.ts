// Checks that every rule and token of the style sheets is used; `npm test` runs it.
import { globSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { inProject, root } from '../steps/places.mjs';

/** One style sheet. */
interface Sheet {
  /** Relative to the project's folder, with `/` on every system. */
  readonly path: string;
  /** The classes in its selectors. */
  readonly classes: readonly string[];
  /** The custom properties that it defines, without the dashes. */
  readonly properties: readonly string[];
  /** The custom properties that it reads. */
  readonly reads: readonly string[];
  /** The names of its `@keyframes`. */
  readonly keyframes: readonly string[];
  /** The words in its `animation` declarations, which include names of keyframes. */
  readonly animations: readonly string[];
}

const all = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, name]) => name as string)),
];

/** Extracts the names in a style sheet. */
export function readSheet(path: string, source: string): Sheet {
  const text = source.replace(/\/\*.*?\*\//gs, '').replace(/(["'])(?:\\.|(?!\1).)*\1/g, '""');
  // The text before a brace is a selector, unless it starts with `@`.
  const selectors = all(text, /([^{};]+)\{/g).filter((prelude) => !prelude.trim().startsWith('@'));
  return {
    path,
    classes: all(selectors.join(' '), /\.([a-z][\w-]*)/gi),
    properties: all(text, /(?:^|[{;\s])--([\w-]+)\s*:/g),
    reads: readsOf(text),
    keyframes: all(text, /@keyframes\s+([\w-]+)/g),
    animations: all(all(text, /\banimation(?:-name)?\s*:([^;}]+)/g).join(' '), /([a-z][\w-]*)/gi),
  };
}

/** The custom properties that a text reads, such as a style sheet or the SVG of a component. */
const readsOf = (text: string): string[] => all(text, /var\(\s*--([\w-]+)/g);

/** A module of `src` that may use styles. */
interface Source {
  readonly path: string;
  readonly content: string;
}

interface Styles {
  readonly sheets: readonly Sheet[];
  readonly sources: readonly Source[];
}

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/') + 1);
const isModule = ({ path }: Sheet) => path.endsWith('.module.css');
/** `css.name`: this check cannot see any other form. */
const uses = /\bcss\.(\w+)/g;
const computed = /\bcss\[/;

/** Unused or undefined classes, custom properties and keyframes, one line each. */
export function styleProblems({ sheets, sources }: Styles): string[] {
  return [
    ...sheets.filter(isModule).flatMap((sheet) => problemsOfModule(sheet, sources)),
    ...sheets.filter((sheet) => !isModule(sheet)).flatMap((sheet) => problemsOfPlain(sheet, sources)),
    ...sheets.flatMap(problemsOfKeyframes),
    ...problemsOfProperties({ sheets, sources }),
  ];
}

/** Compares a style sheet with the component of any kind beside it. */
function problemsOfModule({ path, classes }: Sheet, sources: readonly Source[]): string[] {
  const stem = path.slice(0, -'.module.css'.length);
  const component = sources.find((source) => source.path.replace(/(\.(part|screen))?\.tsx$/, '') === stem);
  if (!component) return [`${path}: there is no component beside it`];
  if (computed.test(component.content)) return [`${component.path}: write css.name, so that this check sees its use`];
  const used = new Set([...component.content.matchAll(uses)].map(([, name = '']) => name));
  return [
    ...classes.filter((name) => !used.has(name)).map((name) => `${path}: .${name} is not used`),
    ...[...used].filter((name) => !classes.includes(name)).map((name) => `${component.path}: css.${name} has no rule`),
  ];
}

/** A sheet for whole documents: the sources in its folder contain its classes as words or as `width-${…}`. */
function problemsOfPlain({ path, classes }: Sheet, sources: readonly Source[]): string[] {
  const beside = sources.filter((source) => folderOf(source.path) === folderOf(path));
  const isUsed = (name: string) => {
    const start = /^.+-/.exec(name)?.[0];
    const isMade = (content: string) => start !== undefined && content.includes(`${start}\${`);
    return beside.some(({ content }) => new RegExp(`\\b${name}\\b`).test(content) || isMade(content));
  };
  return classes.filter((name) => !isUsed(name)).map((name) => `${path}: .${name} is not used`);
}

const problemsOfKeyframes = ({ path, keyframes, animations }: Sheet): string[] =>
  keyframes.filter((name) => !animations.includes(name)).map((name) => `${path}: @keyframes ${name} is not used`);

function problemsOfProperties({ sheets, sources }: Styles): string[] {
  const read = new Set([
    ...sheets.flatMap(({ reads }) => reads),
    ...sources.flatMap(({ content }) => readsOf(content)),
  ]);
  const given = new Set(sheets.flatMap(({ properties }) => properties));
  return [
    ...sheets.flatMap(({ path, properties }) =>
      properties.filter((name) => !read.has(name)).map((name) => `${path}: --${name} is not used`),
    ),
    ...[...read].filter((name) => !given.has(name)).map((name) => `--${name} is read, but no style sheet defines it`),
  ];
}

if (process.argv[1] === import.meta.filename) {
  const files = (pattern: string) =>
    globSync(pattern, { cwd: root }).map((file) => ({
      path: file.split(sep).join('/'),
      content: readFileSync(inProject(file), 'utf8'),
    }));

  const sheets = files('src/**/*.css').map(({ path, content }) => readSheet(path, content));
  const sources = files('src/**/*.{ts,tsx,js}').filter(({ path }) => !/\.test\.tsx?$/.test(path));
  const classes = sheets.flatMap((sheet) => sheet.classes).length;
  const properties = sheets.flatMap((sheet) => sheet.properties).length;

  const problems = styleProblems({ sheets, sources });
  if (classes < 50) problems.push(`only ${classes} classes were read: the check looks in the wrong place`);
  console.log(`${sheets.length} style sheets, ${classes} classes, ${properties} custom properties`);
  if (problems.length > 0) {
    console.error(problems.join('\n'));
    process.exitCode = 1;
  }
}
