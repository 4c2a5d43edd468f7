import { describe, expect, it } from 'vitest';
import { cycleProblems } from './cycles.ts';
import { readModule, readModules } from './modules.ts';
import { placeOf } from './rooms.ts';
import { importProblems } from './rules.ts';

/** Problems of a project that holds just these files. */
const problemsOf = (files: Record<string, string>) =>
  importProblems(
    Object.entries(files).map(([path, source]) => readModule(path, source)),
    () => true,
  );

const forbidden: [sentence: string, path: string, source: string, problem: string][] = [
  ['the contract takes no package but zod', 'src/contract/a.ts', "import x from 'fastify'", 'no package but zod'],
  [
    'the contract knows no other room',
    'src/contract/a.ts',
    "import { x } from '../store/b.ts'",
    'contract may not import store',
  ],
  [
    'only phone.ts has the phone library',
    'src/contract/a.ts',
    "import x from 'libphonenumber-js/min'",
    'no package but zod',
  ],
  [
    'security knows nothing of ours',
    'src/security/a.ts',
    "import type { x } from '../contract/b.ts'",
    'security may not import contract',
  ],
  [
    'the store knows no journey',
    'src/store/a.ts',
    "export { x } from '../journeys/way/way.ts'; export const y = 1",
    'store may not import journey decision',
  ],
  ['the outbox does not speak http', 'src/outbox/a.ts', "import '../http/b.ts'", 'outbox may not import http'],
  ['http sends no mail', 'src/http/a.ts', "import { x } from '../outbox/b.ts'", 'http may not import outbox'],
  [
    'the browser does not reach the store',
    'src/browser/a.ts',
    "await import('../store/b.ts')",
    'browser may not import store',
  ],
  [
    'a type in passing is an import too',
    'src/browser/a.ts',
    "type X = import('../store/b.ts').X",
    'browser may not import store',
  ],
  ['the browser knows no Node', 'src/browser/a.ts', "import 'node:fs'", 'have no Node'],
  ['ui knows no Node', 'src/ui/a.tsx', "import { join } from 'node:path'", 'have no Node'],
  ['a screen knows no Node', 'src/journeys/way/way.screen.tsx', "import type x from 'node:fs'", 'have no Node'],
  ['a contract knows no Node', 'src/journeys/way/way.contract.ts', "import type x from 'node:fs'", 'have no Node'],
  [
    'a contract of a journey takes no package but zod',
    'src/journeys/way/way.contract.ts',
    "import x from 'wouter'",
    'no package but zod',
  ],
  [
    'a decision does not speak http',
    'src/journeys/way/way.ts',
    "import { x } from '../../http/b.ts'",
    'journey decision may not import http',
  ],
  [
    'a route asks its decision, not the store',
    'src/journeys/way/way.routes.ts',
    "import { x } from '../../store/b.ts'",
    'journey routes may not import store',
  ],
  [
    'a screen does not reach its decision',
    'src/journeys/way/way.screen.tsx',
    "import { x } from './way.ts'",
    'journey screen may not import journey decision',
  ],
  [
    'no journey imports another',
    'src/journeys/way/way.ts',
    "import { x } from '../register/register.contract.ts'",
    'no journey imports another',
  ],
  [
    'a decision does not open the service',
    'src/journeys/way/way.ts',
    "import { openService } from '../../server/open-service.ts'",
    'journey decision may not import server',
  ],
  [
    'nobody imports the server',
    'src/http/a.ts',
    "import { x } from '../server/config.ts'",
    'http may not import server',
  ],
  [
    'only tests import what is for tests',
    'src/store/a.ts',
    "import { x } from '../testing/databases/databases.ts'",
    'only tests',
  ],
  [
    'a part does not reach a screen',
    'src/journeys/way/way.part.tsx',
    "import { x } from './way.screen.tsx'",
    'journey part may not import journey screen',
  ],
  [
    'a screen borrows no style sheet',
    'src/journeys/way/way.screen.tsx',
    "import css from '../../ui/button.module.css'",
    'for the component beside it alone',
  ],
  [
    'nor do two components of one room share one',
    'src/ui/b.tsx',
    "import css from './a.module.css'",
    'for the component beside it alone',
  ],
  ['a file beside the rooms', 'src/a.ts', 'export const x = 1', 'is in no room'],
  ['an index is a barrel', 'src/ui/index.ts', 'export const x = 1', 'is a barrel'],
  [
    'a file of re-exports is a barrel',
    'src/ui/all.ts',
    "export * from './a.tsx'; export { b } from './b.tsx'",
    'is a barrel',
  ],
  ['a folder that the house does not have', 'src/utils/a.ts', 'export const x = 1', 'is in no room'],
];

describe('the import rules refuse', () => {
  it.each(forbidden)('%s', (_sentence, path, source, problem) => {
    const problems = problemsOf({ [path]: source });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(path);
    expect(problems[0]).toContain(problem);
  });

  it('an import of a file that is not there', () => {
    const module = readModule('src/ui/a.tsx', "import './b.tsx'");
    expect(importProblems([module], () => false)).toEqual(['src/ui/a.tsx: ./b.tsx: there is no such file']);
  });

  it('a module that cannot be read', () => {
    expect(() => problemsOf({ 'src/store/a.ts': 'import {' })).toThrow('src/store/a.ts cannot be parsed');
  });
});

describe('the import rules allow', () => {
  const allowed: [sentence: string, path: string, source: string][] = [
    ['the phone library in phone.ts', 'src/contract/fields/phone.ts', "import x from 'libphonenumber-js/min'"],
    ['zod in the contract', 'src/contract/a.ts', "import * as z from 'zod/mini'; import './b.ts'"],
    [
      'a decision its contract, the store, security and the outbox',
      'src/journeys/way/way.ts',
      "import './way.contract.ts'; import '../../store/b.ts'; import '../../security/b.ts'; import '../../outbox/b.ts'",
    ],
    [
      'a screen the browser, ui and its styles',
      'src/journeys/way/way.screen.tsx',
      "import '../../browser/b.ts'; import '../../ui/b.tsx'; import css from './way.module.css'",
    ],
    [
      'the server everything',
      'src/server/app.ts',
      "import './config.ts'; import '../http/b.ts'; import '../journeys/way/way.routes.ts'",
    ],
    [
      'a test the way in that it tests',
      'src/journeys/way/way.test.ts',
      "import '../../server/app.ts'; import '../../testing/databases/databases.ts'",
    ],
    [
      'a screen the part of another journey',
      'src/journeys/way/way.screen.tsx',
      "import { X } from '../confirm-phone/confirm-phone.part.tsx'",
    ],
    [
      'a decision the type of the service',
      'src/journeys/way/way.ts',
      "import type { Service } from '../../server/service.ts'",
    ],
  ];
  it.each(allowed)('%s', (_sentence, path, source) => {
    expect(problemsOf({ [path]: source })).toEqual([]);
  });
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

  it('names a cycle once, and the shortest of several', () => {
    expect(cyclesOf(ring)).toEqual(['cycle: src/store/a.ts → src/store/b.ts → src/store/c.ts → src/store/a.ts']);
    const shorter = { ...ring, 'src/store/b.ts': "import './c.ts'; import './a.ts'" };
    expect(cyclesOf(shorter)).toEqual(['cycle: src/store/a.ts → src/store/b.ts → src/store/a.ts']);
  });

  it('follows imports of types', () => {
    expect(cyclesOf(typesOnly)).toEqual(['cycle: drills/a.ts → drills/b.ts → drills/a.ts']);
    const inPassing = { ...typesOnly, 'drills/b.ts': "type A = import('./a.ts').A" };
    expect(cyclesOf(inPassing)).toEqual(['cycle: drills/a.ts → drills/b.ts → drills/a.ts']);
  });

  it('names each of two groups of modules', () => {
    expect(cyclesOf({ ...ring, ...typesOnly })).toHaveLength(2);
  });

  it('refuses a module that imports itself', () => {
    expect(cyclesOf({ 'src/store/a.ts': "import type { A } from './a.ts'" })).toEqual([
      'cycle: src/store/a.ts → src/store/a.ts',
    ]);
  });

  it('allows modules that share what they import', () => {
    const shared = {
      'src/store/a.ts': "import './b.ts'; import './c.ts'",
      'src/store/b.ts': "import './c.ts'",
      'src/store/c.ts': '',
    };
    expect(cyclesOf(shared)).toEqual([]);
  });
});

it('reads the modules of this project, in all their rooms', () => {
  const modules = readModules(process.cwd(), 'src');
  expect(modules.length).toBeGreaterThan(100);
  const rooms = new Set(modules.map(({ path }) => placeOf(path)?.room));
  expect([...rooms].sort()).toEqual(
    [
      'access',
      'browser',
      'cli',
      'contract',
      'development-inbox',
      'gallery',
      'http',
      'journey contract',
      'journey decision',
      'journey part',
      'journey routes',
      'journey screen',
      'messages',
      'operations',
      'outbox',
      'phone-calls',
      'security',
      'server',
      'site',
      'states',
      'store',
      'test',
      'ui',
    ].sort(),
  );
});
