import { expect, it } from 'vitest';
import { readSheet, styleProblems } from './styles.ts';

/** The problems of a project that consists of these files. */
function problemsOf(files: Record<string, string>): string[] {
  const all = Object.entries(files).map(([path, content]) => ({ path, content }));
  const sheets = all.filter(({ path }) => path.endsWith('.css')).map(({ path, content }) => readSheet(path, content));
  return styleProblems({ sheets, sources: all.filter(({ path }) => !path.endsWith('.css')) });
}

const sheet = 'src/ui/a.module.css';
const component = 'src/ui/a.tsx';

it.each<[sentence: string, files: Record<string, string>, problems: string[]]>([
  ['a used rule is accepted', { [sheet]: '.a { color: red }', [component]: 'css.a' }, []],
  [
    'a class that its component does not use',
    { [sheet]: '@layer ui { .a, .b:hover > svg { color: red } }', [component]: 'css.a' },
    [`${sheet}: .b is not used`],
  ],
  [
    'a class that only another component uses',
    { [sheet]: '.a { color: red }', [component]: '', 'src/ui/b.tsx': 'css.a' },
    [`${sheet}: .a is not used`],
  ],
  ['a name without a rule', { [sheet]: '', [component]: 'css.a' }, [`${component}: css.a has no rule`]],
  [
    'a computed name',
    { [sheet]: '.a { color: red }', [component]: 'css[kind]' },
    [`${component}: write css.name, so that this check sees its use`],
  ],
  ['a sheet without a component', { [sheet]: '' }, [`${sheet}: there is no component beside it`]],
  ['the component may be a screen', { 'src/journeys/a/a.module.css': '', 'src/journeys/a/a.screen.tsx': '' }, []],
  [
    'sizes, comments and strings are not classes',
    { [sheet]: '/* .b {} */ .a { margin: .5rem; content: ".c {" }', [component]: 'css.a' },
    [],
  ],
  [
    'a class inside a media query',
    { [sheet]: '@media (width < 40.5rem) { .a { margin: 0 } }', [component]: '' },
    [`${sheet}: .a is not used`],
  ],
  [
    'a class of a sheet for whole documents that no file in its folder uses',
    {
      'src/inbox/inbox.css': '.a, .b, .c-1 { margin: 0 }',
      'src/inbox/page.ts': `class="a c-\${width}"`,
      'src/ui/b.tsx': 'b',
    },
    ['src/inbox/inbox.css: .b is not used'],
  ],
  [
    'a custom property that nothing reads',
    { 'src/ui/tokens.css': ':root { --a: 1px; --b: var(--a); }' },
    ['src/ui/tokens.css: --b is not used'],
  ],
  ['a drawing may read one', { 'src/ui/tokens.css': ':root { --a: red; }', 'src/ui/logo.tsx': '"var(--a)"' }, []],
  [
    'a custom property that no style sheet defines',
    { 'src/ui/base.css': 'p { color: var(--a) }' },
    ['--a is read, but no style sheet defines it'],
  ],
  [
    'keyframes that nothing uses',
    { 'src/ui/base.css': '@keyframes a { from { opacity: 0 } } @keyframes b {} p { animation: a 0s 1s }' },
    ['src/ui/base.css: @keyframes b is not used'],
  ],
])('%s', (_sentence, files, problems) => expect(problemsOf(files)).toEqual(problems));
