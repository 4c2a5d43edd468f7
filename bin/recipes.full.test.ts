import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { copyProject } from '../src/testing/folders.ts';
import { freePort } from '../src/testing/free-port.ts';

/** The code blocks of the recipes, by their file name. */
const recipes = new Map(
  [...readFileSync('docs/development.md', 'utf8').matchAll(/^```\w+ (\S+)\n(.*?)^```$/gms)].map(
    ([, file = '', code = '']) => [file, code],
  ),
);

/** The line before which a recipe inserts its code; other code is appended. */
const before: Readonly<Record<string, string>> = {
  'src/site/pages.ts': "  {\n    name: 'error',",
  'src/server/settings/settings.ts': '  LOG_LEVEL:',
};

const project = copyProject();
const { PATH, SystemRoot } = process.env;
/** Without Vitest's own variables. */
const env = { PATH, SystemRoot };
const inCopy = (file: string) => project.path(...file.split('/'));

function follow(file: string, code: string): void {
  const place = before[file];
  if (place) {
    const source = readFileSync(inCopy(file), 'utf8');
    expect(source, `${file} has the place where the test inserts code`).toContain(place);
    writeFileSync(
      inCopy(file),
      source.replace(place, () => code + place),
    );
  } else {
    mkdirSync(dirname(inCopy(file)), { recursive: true });
    appendFileSync(inCopy(file), `\n${code}`);
  }
}

/** Plays the translator: gives each new text an existing translation of the catalog. */
function translate(texts: string): void {
  for (const name of readdirSync(inCopy('src/messages')).filter((file) => file.endsWith('.po') && file !== 'en.po')) {
    const catalog = readFileSync(inCopy(`src/messages/${name}`), 'utf8');
    const [, translation = ''] = /^msgid "not_found\.page"\nmsgstr "(.+)"$/m.exec(catalog) ?? [];
    appendFileSync(inCopy(`src/messages/${name}`), `\n${texts.replace(/^msgstr ".*"$/gm, `msgstr "${translation}"`)}`);
  }
}

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: project.path(), env, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

beforeAll(() => {
  for (const [file, code] of recipes) follow(file, code);
  const { status, output } = run(project.path('bin', 'steps', 'build.ts'));
  expect(status, output).toBe(0);
  expect(output).toContain('de attic.page: is missing');
});

afterAll(() => project.remove());

/** Starts the built service; resolves with its output once it is ready or has ended. */
function start(settings: Record<string, string>): Promise<{ printed: string; stop(): Promise<void> }> {
  const child = spawn(process.execPath, [project.path('bin', 'serve.mjs')], {
    cwd: project.path(),
    env: { ...env, ...settings },
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = () => {
    child.kill();
    return ended;
  };
  let printed = '';
  return new Promise((resolve) => {
    const read = (text: Buffer) => {
      printed += text;
      if (printed.includes('/dev/inbox/')) resolve({ printed, stop });
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    void ended.then(() => resolve({ printed, stop }));
  });
}

describe('the recipes for a screen and a setting', () => {
  test('name each of their files', () => {
    expect([...recipes.keys()]).toEqual([
      'src/journeys/attic/attic.screen.tsx',
      'src/journeys/attic/attic.states.tsx',
      'src/site/pages.ts',
      'src/messages/en.po',
      'src/server/settings/settings.ts',
      '.env.example',
    ]);
  });

  test('create a page in every language, in English until it is translated, and a setting that is validated at the start', async () => {
    const port = await freePort();
    const wrong = await start({ PORT: String(port), ATTIC_SHELVES: '500' });
    expect(wrong.printed).toContain('ATTIC_SHELVES: must be at most 100');
    const right = await start({ PORT: String(port), ATTIC_SHELVES: '50' });
    const titles = ['/attic/', '/de/attic/'].map(async (path) => {
      const html = await (await fetch(`http://127.0.0.1:${port}${path}`)).text();
      return /<h1[^>]*>([^<]*)</.exec(html)?.[1];
    });
    expect(await Promise.all(titles)).toEqual(['Attic', 'Attic']);
    await right.stop();
  });

  describe('with translated texts,', () => {
    beforeAll(() => translate(recipes.get('src/messages/en.po') ?? ''));

    test.each([
      ['messages', ['bin', 'steps', 'messages.ts'], /\d+ languages/],
      ['import rules', ['bin', 'checks', 'imports.ts'], /modules in/],
    ])('pass the check of the %s', (_rules, check, result) => {
      const { output } = run(project.path(...check));
      expect(output).toMatch(result);
      expect(output).not.toMatch(/attic/i);
    });
  });
});
