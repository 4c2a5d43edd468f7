import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { resolveConfig } from 'vite';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { popupDispose } from '../src/browser/constants.ts';
import { readTexts } from './page-texts.ts';

const root = mkdtempSync(join(tmpdir(), 'vestibule-build-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const files: Readonly<Record<string, string>> = {
  'site/entry.tsx': "import './pages.ts'; t('frame.help');",
  'site/pages.ts': "export const pages = [{ head: 'ask', screen: () => import('../ask.screen.tsx') }];",
  'site/console-entry.tsx': "import './console-pages.ts';",
  'site/console-pages.ts':
    "export const consolePages = [{ head: 'help', screen: () => import('../help.screen.tsx') }];",
  'help.screen.tsx': "t('help.lead')",
  'ask.screen.tsx':
    "import './field.tsx';\nimport type { T } from './type.ts';\nconst more = () => import('./more.ts');",
  'field.tsx': '<Text id="label.name" />',
  'type.ts': "t('label.type')",
  'more.ts': "t(busy ? 'form.send' : `form.title`)",
  'other.test.ts': "t('form.tested')",
  'contract/failures.ts': 'export const failures = { not_found: 404 };',
};

async function texts(ids: readonly string[], changed: Readonly<Record<string, string>> = {}) {
  for (const [path, source] of Object.entries({ ...files, ...changed })) {
    mkdirSync(dirname(join(root, 'src', path)), { recursive: true });
    writeFileSync(join(root, 'src', path), source);
  }
  return readTexts(root, ids);
}

test('a page has the ids in its screen, its frame, and what they import, and the messages of all codes', async () => {
  const ids = ['frame.help', 'label.name', 'form.send', 'form.title', 'failure.not_found'];
  const ofConsole = ['failure.not_found', 'help.lead'];
  expect((await texts([...ids, 'help.lead', 'label.type', 'form.tested'])).pages).toEqual([ids, ofConsole]);
});

test('a message is unused if no code of the product contains its id, or the code that it belongs to', async () => {
  const used = ['ask.page', 'frame.help', 'label.type', 'failure.not_found'];
  const unused = ['form.tested', 'form.gone', 'failure.gone'];
  expect((await texts([...used, ...unused])).unused).toEqual(unused);
});

test('a message of a code that single pages show is on the pages that contain its template, unless the code is gone', async () => {
  const changed = {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the source of a module
    'help.screen.tsx': 't(`concern.${code}`)',
    'contract/concerns.ts': 'export const concerns = { disk: null };',
  };
  const found = await texts(['concern.disk', 'concern.gone'], changed);
  expect(found).toEqual({ pages: [[], ['concern.disk', 'concern.gone']], problems: [], unused: ['concern.gone'] });
});

test('an id that is known only at run time is reported', async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the source of a module
  const changed = { 'field.tsx': 't(`label.${name}`); t(`failure.${code}`);' };
  expect((await texts(['label.name', 'failure.not_found'], changed)).problems).toEqual([
    'src/field.tsx: `label.…`: write out each id',
  ]);
});

afterEach(() => vi.unstubAllEnvs());

test.each(['development', 'production', 'test'])(
  'NODE_ENV=%s, exported and in `.env`, changes neither a build nor `npm run dev`',
  async (set) => {
    writeFileSync(join(root, '.env'), `NODE_ENV=${set}\n`);
    for (const exported of [set, undefined]) {
      for (const command of ['build', 'serve'] as const) {
        vi.stubEnv('NODE_ENV', exported);
        const { isProduction } = await resolveConfig({ root, configFile: resolve('vite.config.ts') }, command);
        expect(isProduction).toBe(command === 'build');
      }
    }
  },
);

const tokens = readFileSync(new URL('../src/ui/tokens.css', import.meta.url), 'utf8');
const token = (name: string) => new RegExp(`--${name}: (.+);`).exec(tokens)?.[1];

test('the CSS duration of a fading popup equals the constant', () =>
  expect(token('popup-dispose')).toBe(`${popupDispose}ms`));

test.each([
  ['text', 'surface', 7],
  ['muted', 'surface', 4.5],
  ['muted', 'ground', 4.5],
  ['accent', 'surface', 4.5],
  ['accent', 'ground', 4.5],
  ['on-fill', 'fill', 4.5],
  ['on-fill', 'fill-strong', 4.5],
  ['fill', 'surface', 3],
  ['on-banner', 'banner', 7],
  ['danger', 'surface', 4.5],
  ['success', 'surface', 4.5],
  ['border', 'surface', 3],
])('%s on %s has a contrast of at least %d in light and dark', (front, back, least) => {
  for (const scheme of [0, 1]) {
    const [a, b] = [luminance(front, scheme), luminance(back, scheme)];
    expect((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)).toBeGreaterThanOrEqual(least);
  }
});

/** Relative luminance of a color token in light (0) or dark (1), as WCAG 2.2 defines it. */
function luminance(name: string, scheme: number): number {
  const both = [...(token(name) ?? '').matchAll(/#(\w{6})/g)].map(([, hex]) => hex as string);
  const color = both[scheme] ?? both[0] ?? '';
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
