import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { root } from '../steps/places.mjs';
import { openGreens, readMoment } from './moment.ts';
import { due, keep, plan, staleDeclarations, testChecks } from './plan.ts';
import { steps } from './steps.ts';

const opened = mkdtempSync(join(tmpdir(), 'vestibule-checks-'));
afterAll(() => rmSync(opened, { recursive: true, force: true, maxRetries: 5 }));

/** A small project with every kind of dependency. */
const project: Readonly<Record<string, string>> = {
  'package.json': '{}',
  'package-lock.json': '{}',
  'vitest.config.ts': '',
  'bin/checks/plan.ts': '',
  'docs/house.md': '# The house',
  'dist/client/app.js': 'first',
  'dist/client/build.json': '{"id":"a","timestamp":1}',
  'dist/server/server.js': 'first',
  'src/messages/en.po': 'msgid "a"',
  'src/ui/base.css': 'h1 {}',
  'src/ui/button.tsx': "import './base.css';\nexport const button = 1;",
  'src/ui/button.test.tsx': "import { button } from './button.tsx';",
  'src/contract/name.ts': 'export type Name = string;\nexport const name = 1;',
  'src/contract/name.test.ts': "import { name } from './name.ts';",
  'src/contract/type.test.ts': "import type { Name } from './name.ts';",
  'src/store/table.ts': "export const later = () => import('./row.ts');",
  'src/store/row.ts': 'export const row = 1;',
  'src/store/table.test.ts': "import { later } from './table.ts';\nimport '../testing/helper.ts';",
  'src/testing/helper.ts': 'export const helper = 1;',
  'src/testing/each-file.ts': '',
  'src/testing/databases/shared-postgres.ts': '',
  'src/journeys/go/go.ts': 'export const go = 1;',
  'src/journeys/go/go.test.ts': "import { go } from './go.ts';\nimport '../../testing/helper.ts';",
  'src/server/open-service.ts': "import '../journeys/go/go.ts';\nexport const dist = import.meta.dirname;",
  'src/server/start.test.ts': "import './open-service.ts';",
  'src/http/every-file.test.ts': "import { readFileSync } from 'node:fs';\nreadFileSync(name);",
  'e2e/shared-browser.ts': '',
  'e2e/gallery.test.ts': "import '../src/server/open-service.ts';",
  'e2e/go.test.ts': "import '../src/server/open-service.ts';",
};

let folder: string;
const write = (path: string, content: string) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
};
const greens = () => openGreens(join(folder, 'node_modules', '.cache', 'green'));
const checks = () => [...testChecks(readMoment(folder)), ...steps];
const planned = () => checks().map((check) => plan(readMoment(folder), check));
/** The checks that `npm test -- changed` would run. */
const dueNow = () => due(readMoment(folder), { checks: checks(), greens: greens() }).map(({ check }) => check.name);

function passAll(): void {
  const moment = readMoment(folder);
  keep([moment, moment], { passed: planned(), greens: greens() });
}

beforeEach(() => {
  folder = mkdtempSync(join(opened, 'project-'));
  for (const [path, content] of Object.entries(project)) write(path, content);
});

const everything = [
  ...Object.keys(project).filter((path) => /\.test\.tsx?$/.test(path)),
  ...steps.map(({ name }) => name),
];
const types = ['types of the server', 'types of the browser', 'types of the browser tests'];
const code = [...types, 'lint and format', 'import rules', 'styles', 'unused code', 'messages', 'byte budget'];
const seesAll = 'src/http/every-file.test.ts';
const services = ['src/server/start.test.ts', 'e2e/go.test.ts'];

describe('a change affects', () => {
  test.each<[sentence: string, changes: Record<string, string | undefined>, affected: readonly string[]]>([
    ['nothing if nothing changed', {}, []],
    ['nothing if only the build time changed', { 'dist/client/build.json': '{"id":"a","timestamp":2}' }, []],
    [
      'direct and indirect importers of a module, but not the gallery',
      { 'src/journeys/go/go.ts': 'export const go = 2;' },
      ['src/journeys/go/go.test.ts', ...services, seesAll, ...code],
    ],
    [
      'dynamic importers of a module',
      { 'src/store/row.ts': 'export const row = 2;' },
      ['src/store/table.test.ts', seesAll, ...code],
    ],
    [
      'importers of a value, but not importers of a type',
      { 'src/contract/name.ts': 'export const name = 2;' },
      ['src/contract/name.test.ts', 'e2e/gallery.test.ts', seesAll, ...code],
    ],
    [
      'a test that changed',
      { 'src/contract/name.test.ts': "import { name } from './name.ts';\n" },
      ['src/contract/name.test.ts', seesAll, ...code],
    ],
    ['a new test', { 'src/contract/new.test.ts': '' }, ['src/contract/new.test.ts', seesAll, ...code]],
    ['importers of a deleted module', { 'src/store/row.ts': undefined }, ['src/store/table.test.ts', seesAll, ...code]],
    [
      'every test that imports a changed test helper',
      { 'src/testing/helper.ts': 'export const helper = 2;' },
      ['src/journeys/go/go.test.ts', 'src/store/table.test.ts', 'e2e/gallery.test.ts', seesAll, ...code],
    ],
    [
      'every test if the setup of each test file changed',
      { 'src/testing/each-file.ts': 'const first = 1;' },
      [...everything.filter((name) => name.includes('.test.')), ...code],
    ],
    [
      'the tests of a project whose setup changed',
      { 'e2e/shared-browser.ts': 'const browser = 1;' },
      ['e2e/gallery.test.ts', 'e2e/go.test.ts', seesAll, ...types, 'lint and format', 'unused code'],
    ],
    [
      'importers of a changed style',
      { 'src/ui/base.css': 'h2 {}' },
      [
        ...['src/ui/button.test.tsx', seesAll, 'lint and format', 'import rules', 'styles'],
        ...['unused code', 'messages', 'byte budget'],
      ],
    ],
    [
      'tests that use pages if the built site changed',
      { 'dist/client/app.js': 'second' },
      [...services, 'e2e/gallery.test.ts', seesAll, 'byte budget'],
    ],
    ['few checks if only the built server changed', { 'dist/server/server.js': 'second' }, [seesAll, 'byte budget']],
    [
      'the checks of catalogs, but no type checks, if a catalog changed',
      { 'src/messages/en.po': 'msgid "b"' },
      [seesAll, 'import rules', 'styles', 'messages', 'byte budget'],
    ],
    ['only tests that may read any file if a document changed', { 'docs/house.md': '# A house' }, [seesAll]],
    ['everything if the lock file changed', { 'package-lock.json': '{ }' }, everything],
    ['everything if the settings of the tests changed', { 'vitest.config.ts': 'const a = 1;' }, everything],
    ['everything if a compiler configuration is new', { 'tsconfig.e2e.json': '{}' }, everything],
    ['everything if the code that selects checks changed', { 'bin/checks/plan.ts': 'const a = 1;' }, everything],
  ])('%s', (_sentence, changes, affected) => {
    passAll();
    expect(dueNow()).toEqual([]);
    for (const [path, content] of Object.entries(changes)) {
      if (content === undefined) rmSync(join(folder, path));
      else write(path, content);
    }
    expect(dueNow().toSorted()).toEqual([...affected].toSorted());
  });

  test.each([
    ['reads files', "import { readFileSync } from 'node:fs';"],
    ['reads files through a namespace import', "import * as fs from 'fs';"],
    ['starts programs', "import { spawn } from 'node:child_process';"],
    ['imports a computed path', 'await import(name);'],
    ['finds files with a glob', "import.meta.glob('./*.po');"],
    ['cannot be parsed', 'const = ;'],
  ])('a test that imports a module that %s, for any change', (_sentence, source) => {
    write('src/testing/helper.ts', source);
    passAll();
    write('docs/house.md', '# A house');
    expect(dueNow()).toContain('src/store/table.test.ts');
    expect(dueNow()).not.toContain('src/contract/name.test.ts');
  });

  test('everything if an environment variable changed', () => {
    passAll();
    const { ENGINES } = process.env;
    process.env.ENGINES = 'some';
    expect(dueNow()).toHaveLength(everything.length);
    if (ENGINES === undefined) delete process.env.ENGINES;
    else process.env.ENGINES = ENGINES;
  });
});

describe('green is', () => {
  const name = 'src/contract/name.test.ts';

  test('only a check that passed', () => {
    const moment = readMoment(folder);
    keep([moment, moment], { passed: planned().filter(({ check }) => check.name === name), greens: greens() });
    expect(dueNow()).toHaveLength(everything.length - 1);
    expect(dueNow()).not.toContain(name);
  });

  test('not a check that passed with other content and then failed', () => {
    passAll();
    write('src/contract/name.ts', 'export const name = 2;');
    expect(dueNow()).toContain(name);
    // It failed, so nothing is stored; with the former content it is green again.
    write('src/contract/name.ts', project['src/contract/name.ts'] ?? '');
    expect(dueNow()).not.toContain(name);
  });

  test('not a check whose inputs changed during the run', () => {
    const before = readMoment(folder);
    const passed = planned();
    write('src/contract/name.ts', 'export const name = 2;');
    keep([before, readMoment(folder)], { passed, greens: greens() });
    expect(dueNow()).toContain(name);
    expect(dueNow()).not.toContain('src/store/table.test.ts');
    write('src/contract/name.ts', project['src/contract/name.ts'] ?? '');
    expect(dueNow()).toContain(name);
  });

  test('not a check whose inputs changed and were reverted during the run', () => {
    const [before, passed] = [readMoment(folder), planned()];
    const file = join(folder, 'src/contract/name.ts');
    const content = readFileSync(file, 'utf8');
    writeFileSync(file, 'export const name = 2;');
    writeFileSync(file, content);
    utimesSync(file, new Date(), new Date(statSync(file).mtimeMs + 1000));
    keep([before, readMoment(folder)], { passed, greens: greens() });
    expect(dueNow()).toContain(name);
  });

  test('no check if a file that affects everything changed during the run', () => {
    const [before, passed] = [readMoment(folder), planned()];
    write('package-lock.json', '{ }');
    keep([before, readMoment(folder)], { passed, greens: greens() });
    expect(dueNow()).toHaveLength(everything.length);
  });

  test('a check that passed in either of two parallel runs', () => {
    const [one, other] = [greens(), greens()];
    const moment = readMoment(folder);
    const halves = [planned().filter(({ check }) => check.roots), planned().filter(({ check }) => !check.roots)];
    keep([moment, moment], { passed: halves[0] ?? [], greens: one });
    keep([moment, moment], { passed: planned().slice(0, 3), greens: other });
    keep([moment, moment], { passed: halves[1] ?? [], greens: other });
    expect(dueNow()).toEqual([]);
  });
});

describe('a journey that a test loads but never calls', () => {
  const [journey, name] = ['src/journeys/go/go.ts', 'src/server/start.test.ts'];
  const source = "export const go = () => {\n  return 'there';\n};\n";

  /** Passes all checks; the test has called functions of these modules. Undefined: unknown. */
  function passCalling(called: readonly string[] | undefined): void {
    const moment = readMoment(folder);
    keep([moment, moment], { passed: planned(), called: new Map(called ? [[name, called]] : []), greens: greens() });
  }

  test.each<[sentence: string, now: string, called: readonly string[] | undefined, isDue: boolean]>([
    ['may change inside its functions', source.replace('there', 'back'), [], false],
    ['may not change there if the test calls one of them', source.replace('there', 'back'), [journey], true],
    ['may not change there if the calls of the test are unknown', source.replace('there', 'back'), undefined, true],
    ['may not change outside of its functions', `${source}export const more = 1;`, [], true],
    ['may not change its parameters', source.replace('()', '(more = 1)'), [], true],
    ['may not import another module', `import '../../contract/name.ts';\n${source}`, [], true],
    ['may not become invalid', 'const = 1;', [], true],
  ])('%s', (_sentence, now, called, isDue) => {
    write(journey, source);
    passCalling(called);
    expect(dueNow()).toEqual([]);
    write(journey, now);
    expect(dueNow().includes(name)).toBe(isDue);
  });

  test.each([
    ['keeps state in a variable', `let last;\n${source}`],
    ['keeps state in a map', `const all = new Map();\n${source}`],
  ])('may not change inside its functions if it %s', (_sentence, before) => {
    write(journey, before);
    passCalling([]);
    write(journey, before.replace('there', 'back'));
    expect(dueNow()).toContain(name);
  });

  test('is green again after its change is reverted', () => {
    write(journey, source);
    passCalling([journey]);
    write(journey, source.replace('there', 'back'));
    passCalling([journey]);
    write(journey, source);
    expect(dueNow()).not.toContain(name);
  });

  test('affects the test if the test starts the service as a program', () => {
    write('src/testing/process.ts', "import { spawn } from 'node:child_process';");
    write(name, "import './open-service.ts';\nimport '../testing/process.ts';");
    write(journey, source);
    passCalling([]);
    write(journey, source.replace('there', 'back'));
    expect(dueNow()).toContain(name);
  });
});

test('every module with a declaration exists', () => {
  expect(staleDeclarations(readMoment(root))).toEqual([]);
});
