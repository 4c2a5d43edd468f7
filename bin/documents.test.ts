import { existsSync, globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { confirmationWays } from '../src/contract/call-ways.ts';
import type { Endpoint } from '../src/contract/endpoint.ts';
import { endReasons, failures, fieldCodes } from '../src/contract/failures.ts';
import { languages } from '../src/contract/languages.ts';
import { allScopes } from '../src/contract/openid-scopes.ts';
import { secondStepWays } from '../src/contract/sign-in/sign-in-methods.ts';
import { eventTypes } from '../src/contract/webhook-events.ts';
import { alarmKinds } from '../src/devices/contract/alarm-kinds.ts';
import { recordKinds } from '../src/devices/contract/record-kinds.ts';
import { claimNames } from '../src/journeys/openid/provider/claims.ts';
import { noticeNames } from '../src/outbox/notices.ts';
import { spokenLanguages } from '../src/phone-calls/providers/twilio.ts';
import { callProviderNames } from '../src/phone-calls/providers.ts';
import { documents } from './dev/documents.ts';
import { inProject } from './steps/places.mjs';

const folders = ['bin', 'bench', 'build', 'docs', 'drills', 'e2e', 'src'];
const rooms = readdirSync('src').filter((name) => statSync(join('src', name)).isDirectory());

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => /\.(?:tsx?|mjs|css|md)$/.test(path) && !/\.test\.|node_modules/.test(path));

/** A path in backticks that starts at the project's folder or at a folder of `src`. */
const mention = new RegExp(`\`((?:${[...folders, ...rooms].join('|')})/[\\w./-]+\\.(?:tsx?|mjs|css|md))\``, 'g');

test('every file that a comment or document mentions exists', () => {
  const files = [...readdirSync('.').filter((name) => name.endsWith('.md')), ...folders.flatMap(filesIn)];
  const mentions = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(mention)].map(([, named = '']) => ({ file, named })),
  );
  const places = ({ file, named }: { file: string; named: string }) => [
    named,
    join('src', named),
    join(dirname(file), named),
  ];
  expect(mentions.length).toBeGreaterThan(150);
  expect(mentions.filter((one) => !places(one).some((path) => existsSync(path)))).toEqual([]);
});

test('every file that code, the map or a recipe mentions by its name alone exists', () => {
  const all = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  );
  const code = folders.flatMap(filesIn).filter((path) => !path.endsWith('.md'));
  const mentioned = ['docs/house.md', 'docs/development.md', ...code].flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/`([\w./-]+\.(?:tsx?|mjs|css))`/g)].map(([, name = '']) => ({
      file,
      name,
    })),
  );
  expect(mentioned.length).toBeGreaterThan(200);
  expect(mentioned.filter(({ name }) => !all.some((path) => `/${path}`.endsWith(`/${name}`)))).toEqual([]);
});

const read = (document: string) => readFileSync(document, 'utf8');

/** The line of a table that begins with this cell. */
const rowOf = (document: string, cell: string): string =>
  read(document)
    .split('\n')
    .find((line) => line.startsWith(`| \`${cell}\` `)) ?? '';

test.each([
  ['docs/agents.md', 'kinds of records', read('docs/agents.md'), recordKinds],
  ['docs/integrate.md', 'webhook events', read('docs/integrate.md'), eventTypes],
  ['docs/integrate.md', 'alarms', rowOf('docs/integrate.md', 'computer.alarm'), alarmKinds],
  ['docs/api.md', 'codes', read('docs/api.md'), [...Object.keys(failures), ...fieldCodes, ...endReasons]],
  ['docs/calls.md', 'call providers', read('docs/calls.md'), callProviderNames],
  ['docs/calls.md', 'confirmation ways', read('docs/calls.md'), confirmationWays],
  ['docs/mail.md', 'emails', read('docs/mail.md'), noticeNames],
  ['docs/openid.md', 'scopes and claims', read('docs/openid.md'), [...allScopes, ...claimNames]],
  ['docs/monitor.md', 'second factors', rowOf('docs/monitor.md', 'vestibule_second_steps_total'), secondStepWays],
])('%s lists all %s', (_document, _what, text, names) => {
  expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});

test('the documents count the languages correctly', () => {
  const prose = [
    'README.md',
    'CONTRIBUTING.md',
    'STYLE.md',
    'docs/calls.md',
    'docs/development.md',
    'docs/house.md',
    'docs/mail.md',
  ];
  const counts = prose.flatMap((file) =>
    [...read(file).matchAll(/\b(\d+)\s+(?:languages|catalogs)\b/g)].map(([, n]) => Number(n)),
  );
  expect(new Set(counts)).toEqual(new Set([languages.length]));
  expect(read('docs/calls.md')).toContain(`in ${spokenLanguages.length} of the ${languages.length} languages`);
});

const journeys = readFileSync('docs/journeys.md', 'utf8');
const contracts = globSync('src/{contract/**/!(*.test),{journeys,devices}/**/*.contract,devices/contract/*}.ts');
const exported: unknown[] = (await Promise.all(contracts.map((path) => import(inProject(path))))).flatMap(
  Object.values,
);
const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value;
const requests = exported.filter(isEndpoint).map(({ method, path }) => `${method} ${path}`);
const { allPages, kindOf }: { allPages: readonly { path: string }[]; kindOf(page: object): string } = await import(
  inProject('src/site/all-pages.ts')
);

test('Node can import the list of pages and their kinds, as `npm run dev` does', () =>
  expect(new Set(allPages.map(kindOf))).toEqual(new Set(['open', 'account', 'operator', 'instead'])));

test('docs/journeys.md shows every page', () =>
  expect(allPages.map(({ path }) => path).filter((path) => !journeys.includes(`\`${path}\``))).toEqual([]));

test('docs/journeys.md shows every POST request, and only requests that exist', () => {
  const shown = [...journeys.matchAll(/(?:GET|POST|PUT|PATCH|DELETE) \/[\w/:.-]+/g)].map(([request]) => request);
  // These have no contract: relays send the first, and the library `oidc-provider` serves the others.
  const isForeign = (request: string) => /^POST \/mail\/returned\/|^\w+ \/oidc\//.test(request);
  // docs/management-api.md is about these.
  const isForPrograms = (request: string) => request.startsWith('POST /operators/');
  const missing = requests.filter((request) => request.startsWith('POST') && !shown.includes(request));
  expect(missing.filter((request) => !isForPrograms(request))).toEqual([]);
  expect(shown.filter((request) => !requests.includes(request) && !isForeign(request))).toEqual([]);
});

test('docs/journeys.md names the folder of every journey', () => {
  const folders = readdirSync('src/journeys').map((name) => `\`${name}/\``);
  expect(folders.filter((folder) => !journeys.includes(folder))).toEqual([]);
});

const doc = readFileSync(join('docs', 'integrate.md'), 'utf8');
const inDoc = [...doc.matchAll(/^```\w+ (examples\/\S+)\n(.*?)^```/gms)].map(
  ([, name = '', text = '']) => [name, text] as const,
);

test.each(inDoc)('%s is the text in docs/integrate.md', (name, text) => expect(readFileSync(name, 'utf8')).toBe(text));

test('docs/integrate.md contains every example', () =>
  expect(readdirSync('examples').map((name) => `examples/${name}`)).toEqual(inDoc.map(([name]) => name).toSorted()));

test.each(inDoc)('docs/integrate.md installs each package that %s imports', (_name, text) => {
  const installed = [...doc.matchAll(/npm install ([\w @/-]+)/g)].flatMap(([, names = '']) => names.split(' '));
  const imported = [...text.matchAll(/ from '(?!node:)((?:@[^/]+\/)?[^/']+)/g)].map(([, name]) => name);
  expect(installed).toEqual(expect.arrayContaining(imported));
});

const asvs = readFileSync('docs/asvs.md', 'utf8');

test('every test that docs/asvs.md mentions exists', () => {
  const named = asvs.match(/`(?:src|e2e|bin)\/[\w./-]+\.test\.tsx?`/g) ?? [];
  expect(named.length).toBeGreaterThan(150);
  expect(named.map((path) => path.slice(1, -1)).filter((path) => !existsSync(path))).toEqual([]);
});

test('every test and setting that docs/asvs.md names exists in the code', () => {
  const tests = [...asvs.matchAll(/`([\w./-]+\.test\.tsx?)` “([^”]+)”/g)];
  expect(tests.length).toBeGreaterThan(20);
  const unknown = tests.filter(([, path = '', name = '']) => !readFileSync(path, 'utf8').includes(`('${name}'`));
  expect(unknown.map(([text]) => text)).toEqual([]);
  const settings = asvs.match(/(?<=`)[A-Z][A-Z\d]*(?:_[A-Z\d]+)+(?=[`=])/g) ?? [];
  const known = readFileSync('.env.example', 'utf8');
  expect(settings.length).toBeGreaterThan(5);
  // The only variable of Node itself.
  expect(settings.filter((name) => !known.includes(`${name}=`))).toEqual(['NODE_EXTRA_CA_CERTS']);
});

test('docs/asvs.md has exactly one line for each of the 253 requirements of levels 1 and 2', () => {
  const requirements = asvs
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .flatMap((line) => line.match(/(?<=^\| |\| |, )\d+\.\d+\.\d+(?= \||,)/g) ?? []);
  expect(new Set(requirements).size).toBe(requirements.length);
  expect(requirements).toHaveLength(253);
});

test.each(await documents())('$path is up to date (otherwise: npm run documents)', ({ now, wanted }) => {
  expect(now).toBe(wanted);
});

test('every setting and every endpoint is in its table, with the file that mounts it', async () => {
  const [settings, addresses] = await documents();
  expect(settings?.wanted.match(/^\| `[A-Z]/gm)?.length).toBeGreaterThan(60);
  const rows = addresses?.wanted.match(/^\| `[A-Z]+ \/.*$/gm) ?? [];
  expect(rows.length).toBeGreaterThan(90);
  const isUnmounted = (line: string) => /^(?:[^|]*\|){3} – \|/.test(line);
  // Documents, which `mount` does not serve, and the export, whose contract has a part of each wing.
  expect(rows.filter(isUnmounted).map((line) => line.split('`')[1])).toEqual([
    'GET /account/export',
    'GET /openapi.json',
    'GET /operators/openapi.json',
  ]);
});
