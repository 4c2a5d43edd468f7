import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readTexts } from './page-texts.ts';

const root = mkdtempSync(join(tmpdir(), 'vestibule-texts-'));
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
