import { globSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Endpoint } from '../src/contract/endpoint.ts';
import { inProject } from './steps/places.mjs';

const document = readFileSync('docs/journeys.md', 'utf8');
const contracts = globSync('src/{contract/**/!(*.test),{journeys,devices}/**/*.contract,devices/contract/*}.ts');
const exported: unknown[] = (await Promise.all(contracts.map((path) => import(inProject(path))))).flatMap(
  Object.values,
);
const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value;
const requests = exported.filter(isEndpoint).map(({ method, path }) => `${method} ${path}`);
const { allPages }: { allPages: readonly { path: string }[] } = await import(inProject('src/site/all-pages.ts'));

it('docs/journeys.md shows every page', () => {
  expect(allPages.map(({ path }) => path).filter((path) => !document.includes(`\`${path}\``))).toEqual([]);
});

it('docs/journeys.md shows every POST request, and only requests that exist', () => {
  const shown = [...document.matchAll(/(?:GET|POST|PUT|PATCH|DELETE) \/[\w/:.-]+/g)].map(([request]) => request);
  // These have no contract: relays send the first, and the library `oidc-provider` serves the others.
  const isForeign = (request: string) => /^POST \/mail\/returned\/|^\w+ \/oidc\//.test(request);
  // docs/management-api.md is about these.
  const isForPrograms = (request: string) => request.startsWith('POST /operators/');
  const missing = requests.filter((request) => request.startsWith('POST') && !shown.includes(request));
  expect(missing.filter((request) => !isForPrograms(request))).toEqual([]);
  expect(shown.filter((request) => !requests.includes(request) && !isForeign(request))).toEqual([]);
});

it('docs/journeys.md names the folder of every journey', () => {
  const folders = readdirSync('src/journeys').map((name) => `\`${name}/\``);
  expect(folders.filter((folder) => !document.includes(folder))).toEqual([]);
});
