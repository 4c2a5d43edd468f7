// `npm run documents`: writes the generated parts of docs/settings.md and docs/addresses.md.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import * as z from 'zod/mini';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { settings } from '../../src/server/settings/settings.ts';
import { inProject, root } from '../steps/places.mjs';

const read = (path: string) => readFileSync(inProject(path), 'utf8');
const code = (text: string) => `\`${text}\``;

const row = (...cells: string[]) => `| ${cells.join(' | ')} |`;

/** The tables of docs/settings.md: headings, names and meanings from .env.example, defaults from the code. */
function settingsTables(): string {
  const schemas: Readonly<Record<string, z.ZodMiniType>> = settings;
  const defaultOf = (name: string) => {
    const { data } = z.safeParse(schemas[name] as z.ZodMiniType, undefined);
    return data === undefined || typeof data === 'object' ? '–' : code(String(data));
  };
  return [...read('.env.example').matchAll(/^## (.+)\n((?:(?!## ).*\n?)*)/gm)]
    .map(([, heading = '', section = '']) => {
      const rows = [...section.matchAll(/((?:^# .*\n)+)((?:^#[A-Z].*\n?)+)/gm)].map(([, comment = '', lines = '']) => {
        const names = [...lines.matchAll(/^#(\w+)=/gm)].map(([, name = '']) => name);
        const meaning = comment.replaceAll(/^# /gm, '').trim().replaceAll('\n', ' ');
        return row(
          names.map(code).join('<br>'),
          names.map(defaultOf).join('<br>'),
          meaning.replaceAll('|', '\\|').replaceAll(/docs\/(\w+\.md)/g, '[$1]($1)'),
        );
      });
      return [`## ${heading}`, '', row('Setting', 'Default', 'Meaning'), row('---', '---', '---'), ...rows].join('\n');
    })
    .join('\n\n');
}

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value;

/** A file that may mount endpoints: what it imports, by name, and its text from each `mount(` on. */
function routesOf(file: string) {
  const text = read(file);
  const imports = [...text.matchAll(/^import (?:\* as (\w+)|\{([^}]+)\}) from '(\.[^']+)'/gm)];
  const named = imports.flatMap(([, all, some = '', from = '']) =>
    (all ?? some)
      .split(',')
      .map((name) => ({ name: name.trim(), from: posix.join(posix.dirname(file), from) }))
      .filter(({ name }) => name !== ''),
  );
  return text
    .split(/(?=\bmount(?:\.\w+)?\()/)
    .slice(1)
    .map((handler) => {
      const [, first = '', second] = /^[\w.]+\(\s*(\w+)(?:\.(\w+))?/.exec(handler) ?? [];
      const contract = named.find(({ name }) => name === first)?.from;
      const calls = named.filter(({ name, from }) => isDecision(from) && new RegExp(`\\b${name}\\b`).test(handler));
      return { file, mounts: `${contract} ${second ?? first}`, calls: calls.map(({ from }) => from) };
    });
}

const isDecision = (path: string) =>
  /^src\/(?:journeys|devices|access|operations|store)\//.test(path) && !/contract|\.routes\./.test(path);

/** The table of docs/addresses.md: each endpoint, the file that mounts it, and the modules that the handler calls. */
async function addressesTable(): Promise<string> {
  const routes = globSync('src/{journeys,devices,http,server}/**/!(*.test).ts', { cwd: root }).flatMap(routesOf);
  const show = (files: readonly string[]) =>
    [...new Set(files)].map((file) => code(file.slice('src/'.length))).join('<br>') || '–';
  const rows = globSync('src/{contract/**/!(*.test),{journeys,devices}/**/*.contract,devices/contract/*}.ts', {
    cwd: root,
  });
  const lines = rows.map(async (contract) =>
    Object.entries<unknown>(await import(inProject(contract))).flatMap(([name, endpoint]) => {
      if (!isEndpoint(endpoint)) return [];
      const mounted = routes.filter(({ mounts }) => mounts === `${contract} ${name}`);
      const calls = mounted.flatMap((one) => one.calls);
      const address = code(`${endpoint.method} ${endpoint.path}`);
      const cells = [address, show([contract]), show(mounted.map(({ file }) => file)), show(calls)];
      return [{ by: endpoint.path + endpoint.method, text: row(...cells) }];
    }),
  );
  const sorted = (await Promise.all(lines)).flat().toSorted((a, b) => (a.by < b.by ? -1 : 1));
  return [
    row('Address', 'Contract', 'Route', 'Calls'),
    row('---', '---', '---', '---'),
    ...sorted.map(({ text }) => text),
  ].join('\n');
}

const marks = /(<!-- generated: [^>]* -->\n).*?(\n<!-- end -->)/s;

/** Each document with its current text and the one that it should have. */
export const documents = async (): Promise<{ path: string; now: string; wanted: string }[]> =>
  [
    { path: 'docs/settings.md', generated: settingsTables() },
    { path: 'docs/addresses.md', generated: await addressesTable() },
  ].map(({ path, generated }) => {
    const now = read(path);
    return {
      path,
      now,
      wanted: now.replace(marks, (_all, begin: string, end: string) => `${begin}\n${generated}\n${end}`),
    };
  });

// `bin/launch.mjs` imports this file as the program.
if (process.argv[1] === import.meta.filename)
  for (const { path, wanted } of await documents()) writeFileSync(inProject(path), wanted);
