import { readsOf, type Sheet } from './sheet.ts';

/** A module of `src` that may use styles. */
export interface Source {
  readonly path: string;
  readonly content: string;
}

export interface Styles {
  readonly sheets: readonly Sheet[];
  readonly sources: readonly Source[];
}

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/') + 1);
const isModule = ({ path }: Sheet) => path.endsWith('.module.css');
/** `css.name`; whatever is written otherwise, this check could not see. */
const uses = /\bcss\.(\w+)/g;
const computed = /\bcss\[/;

/** What no page needs or what is not there: classes, custom properties and key frames, one line each. */
export function styleProblems({ sheets, sources }: Styles): string[] {
  return [
    ...sheets.filter(isModule).flatMap((sheet) => problemsOfModule(sheet, sources)),
    ...sheets.filter((sheet) => !isModule(sheet)).flatMap((sheet) => problemsOfPlain(sheet, sources)),
    ...sheets.flatMap(problemsOfKeyframes),
    ...problemsOfProperties({ sheets, sources }),
  ];
}

/** The component beside a style sheet, whatever kind of file it is: `way.module.css`, `way.screen.tsx`. */
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

/** A sheet for whole documents: its classes are words in the sources of its folder, or made as `width-${…}`. */
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
    ...[...read].filter((name) => !given.has(name)).map((name) => `--${name} is read, and no style sheet has it`),
  ];
}
