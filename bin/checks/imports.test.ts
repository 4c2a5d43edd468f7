import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cycleProblems, importProblems, readModule, readModules } from './imports.ts';

/** The problems of a project that consists of these files. */
const problemsOf = (files: Record<string, string>) =>
  importProblems(
    Object.entries(files).map(([path, source]) => readModule(path, source)),
    () => true,
  );

/** The rows of a table, without its head. */
const rowsOf = (table: string) =>
  table
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(' | ') as [sentence: string, path: string, source: string, problem: string]);

const forbidden = rowsOf(`
what | file | imports | problem
a package other than zod in the contract | src/contract/a.ts | import x from 'fastify' | only the package zod
another folder in the contract | src/contract/a.ts | import { x } from '../store/b.ts' | contract may not import store
the phone library outside of phone.ts | src/contract/a.ts | import x from 'libphonenumber-js/min' | only the package zod
our modules in security | src/security/a.ts | import type { x } from '../contract/b.ts' | security may not import contract
a journey in the store | src/store/a.ts | export { x } from '../journeys/way/way.ts'; export const y = 1 | store may not import journey decision
http in the outbox | src/outbox/a.ts | import '../http/b.ts' | outbox may not import http
the outbox in http | src/http/a.ts | import { x } from '../outbox/b.ts' | http may not import outbox
the store in the browser | src/browser/a.ts | await import('../store/b.ts') | browser may not import store
an inline type import | src/browser/a.ts | type X = import('../store/b.ts').X | browser may not import store
Node in the browser | src/browser/a.ts | import 'node:fs' | have no Node
Node in ui | src/ui/a.tsx | import { join } from 'node:path' | have no Node
Node in a screen | src/journeys/way/way.screen.tsx | import type x from 'node:fs' | have no Node
Node in a contract of a journey | src/journeys/way/way.contract.ts | import type x from 'node:fs' | have no Node
a package other than zod in a contract of a journey | src/journeys/way/way.contract.ts | import x from 'wouter' | only the package zod
http in a decision | src/journeys/way/way.ts | import { x } from '../../http/b.ts' | journey decision may not import http
the store in a route | src/journeys/way/way.routes.ts | import { x } from '../../store/b.ts' | journey routes may not import store
a decision in its screen | src/journeys/way/way.screen.tsx | import { x } from './way.ts' | journey screen may not import journey decision
another journey in a journey | src/journeys/way/way.ts | import { x } from '../register/register.contract.ts' | a journey may not import another
a part of the other wing in accounts | src/journeys/way/way.part.tsx | import { x } from '../../devices/add/steps.part.tsx' | accounts may not import devices
a table of the other wing in accounts | src/access/a.ts | import type { x } from '../devices/store/computers.ts' | accounts may not import devices
a decision that opens the service | src/journeys/way/way.ts | import { openService } from '../../server/open-service.ts' | journey decision may not import server
the server in http | src/http/a.ts | import { x } from '../server/config.ts' | http may not import server
test helpers outside of tests | src/store/a.ts | import { x } from '../testing/databases/databases.ts' | only tests
a screen in a part | src/journeys/way/way.part.tsx | import { x } from './way.screen.tsx' | journey part may not import journey screen
the style sheet of a component in a screen | src/journeys/way/way.screen.tsx | import css from '../../ui/button.module.css' | only the component beside a style sheet
a style sheet that two components share | src/ui/b.tsx | import css from './a.module.css' | only the component beside a style sheet
a file outside of the folders | src/a.ts | export const x = 1 | is in no known folder
an index file | src/ui/index.ts | export const x = 1 | is a barrel
a file of re-exports | src/ui/all.ts | export * from './a.tsx'; export { b } from './b.tsx' | is a barrel
an unknown folder | src/utils/a.ts | export const x = 1 | is in no known folder
`);

const allowed = rowsOf(`
what | file | imports
the phone library in phone.ts | src/contract/fields/phone.ts | import x from 'libphonenumber-js/min'
zod in the contract | src/contract/a.ts | import * as z from 'zod/mini'; import './b.ts'
its contract, the store, security and the outbox in a decision | src/journeys/way/way.ts | import './way.contract.ts'; import '../../store/b.ts'; import '../../security/b.ts'; import '../../outbox/b.ts'
the browser, ui and its styles in a screen | src/journeys/way/way.screen.tsx | import '../../browser/b.ts'; import '../../ui/b.tsx'; import css from './way.module.css'
everything in the server | src/server/app.ts | import './config.ts'; import '../http/b.ts'; import '../journeys/way/way.routes.ts'
the server and test helpers in a test | src/journeys/way/way.test.ts | import '../../server/app.ts'; import '../../testing/databases/databases.ts'
a part of another journey in a screen | src/journeys/way/way.screen.tsx | import { X } from '../confirm-phone/confirm-phone.part.tsx'
the type of the service in a decision | src/journeys/way/way.ts | import type { Service } from '../../server/service.ts'
`);

describe('the import rules refuse', () => {
  it.each(forbidden)('%s', (_sentence, path, source, problem) => {
    const problems = problemsOf({ [path]: source });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(path);
    expect(problems[0]).toContain(problem);
  });

  it('an import of a missing file', () => {
    const module = readModule('src/ui/a.tsx', "import './b.tsx'");
    expect(importProblems([module], () => false)).toEqual(['src/ui/a.tsx: ./b.tsx: the file does not exist']);
  });

  it('a module that cannot be parsed', () =>
    expect(() => problemsOf({ 'src/store/a.ts': 'import {' })).toThrow('src/store/a.ts cannot be parsed'));
});

describe('the import rules allow', () => {
  it.each(allowed)('%s', (_sentence, path, source) => expect(problemsOf({ [path]: source })).toEqual([]));
});

describe('the check of cycles', () => {
  const cyclesOf = (files: Record<string, string>) =>
    cycleProblems(Object.entries(files).map(([path, source]) => readModule(path, source)));
  const ring = {
    'src/store/a.ts': "import { b } from './b.ts'",
    'src/store/b.ts': "import { c } from './c.ts'",
    'src/store/c.ts': "import { type A, a } from './a.ts'",
  };
  const typesOnly = {
    'drills/a.ts': "import { b } from './b.ts'",
    'drills/b.ts': "import type { A } from './a.ts'",
  };

  it('reports a cycle once, and the shortest of several', () => {
    expect(cyclesOf(ring)).toEqual(['cycle: src/store/a.ts → src/store/b.ts → src/store/c.ts → src/store/a.ts']);
    const shorter = { ...ring, 'src/store/b.ts': "import './c.ts'; import './a.ts'" };
    expect(cyclesOf(shorter)).toEqual(['cycle: src/store/a.ts → src/store/b.ts → src/store/a.ts']);
  });

  it('follows imports of types', () => {
    expect(cyclesOf(typesOnly)).toEqual(['cycle: drills/a.ts → drills/b.ts → drills/a.ts']);
    const inPassing = { ...typesOnly, 'drills/b.ts': "type A = import('./a.ts').A" };
    expect(cyclesOf(inPassing)).toEqual(['cycle: drills/a.ts → drills/b.ts → drills/a.ts']);
  });

  it('reports each of two groups of modules', () => expect(cyclesOf({ ...ring, ...typesOnly })).toHaveLength(2));

  it('refuses a module that imports itself', () => {
    expect(cyclesOf({ 'src/store/a.ts': "import type { A } from './a.ts'" })).toEqual([
      'cycle: src/store/a.ts → src/store/a.ts',
    ]);
  });

  it('allows modules that share an import', () => {
    const shared = {
      'src/store/a.ts': "import './b.ts'; import './c.ts'",
      'src/store/b.ts': "import './c.ts'",
      'src/store/c.ts': '',
    };
    expect(cyclesOf(shared)).toEqual([]);
  });
});

it('reads the modules of this project in all folders', () => {
  const modules = readModules(process.cwd(), 'src');
  expect(modules.length).toBeGreaterThan(100);
  const read = new Set(modules.map(({ path }) => path.split('/')[1]));
  const folders = readdirSync('src', { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect([...read].sort()).toEqual(folders.map(({ name }) => name).sort());
});
