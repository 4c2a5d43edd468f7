import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { endpoint } from '../../src/contract/endpoint.ts';
import { name } from '../../src/contract/fields/fields.ts';
import { openTexts } from './page-texts.ts';

const ids = new Set([
  'frame.help',
  'frame.dark',
  'form.send',
  'form.title',
  'label.name',
  'invalid.required',
  'invalid.too_long',
  'invalid.not_understood',
  'invalid.phone_invalid',
  'invalid.digits_four',
  'failure.unknown',
  'failure.account_exists',
  'failure.validation_failed',
  'failure.not_signed_in',
  'failure.server_error',
  'failure.try_again_later',
  'failure.session_ended',
  'session_ended.expired',
  'session_ended.signed_out',
  'session_ended.ended_elsewhere',
  'session_ended.password_changed',
  'session_ended.reused',
  'mail.hello',
]);

const look = { method: 'GET', summary: 'Look', status: 204 } as const;
const contracts: Record<string, Record<string, unknown>> = {
  'src/journeys/ask/ask.contract.ts': {
    ask: endpoint({ ...look, path: '/ask', query: z.object({ name }), failures: ['account_exists'] }),
    other: endpoint({ ...look, path: '/other', failures: ['not_found'] }),
    own: endpoint({ ...look, path: '/own', auth: 'bearer' }),
    schema: z.object({ name }),
  },
  'src/contract/session.ts': { refresh: endpoint({ ...look, path: '/refresh', failures: ['session_ended'] }) },
};

/** The messages of a page with this screen and these other modules. */
async function shown(screen: string, more: Record<string, string> = {}) {
  const files: Record<string, string> = {
    'src/site/entry.tsx': "import './pages.ts'; import './error.screen.tsx';",
    'src/site/pages.ts': "export const pages = [() => import('../journeys/ask/ask.screen.tsx')];",
    'src/site/error.screen.tsx': '<Text id="frame.help" />; const seen = ["failure.unknown"];',
    'src/journeys/ask/ask.screen.tsx': screen,
    'src/journeys/ask/ask.contract.ts': '',
    'src/browser/requests/session-requests.ts':
      "const contract = () => import('../../contract/session.ts'); async () => { const { refresh } = await contract() };",
    'src/contract/session.ts': '',
    ...more,
  };
  const texts = openTexts({ ids, read: (path) => files[path] as string, load: async (path) => contracts[path] ?? {} });
  expect(texts.screens()).toEqual(['src/journeys/ask/ask.screen.tsx']);
  const { texts: found, problems } = await texts.page('src/site/entry.tsx', 'src/journeys/ask/ask.screen.tsx');
  return { found: found.filter((id) => id !== 'frame.help'), problems };
}

const part = 'src/journeys/ask/more.part.tsx';
const contract = "import { ask } from './ask.contract.ts'; ask;";
const ofAsk = ['failure.account_exists', 'failure.server_error', 'failure.try_again_later'];
// biome-ignore lint/suspicious/noTemplateCurlyInString: the source of a module
const template = 'const id = `failure.${code}`;';

describe('a page includes', () => {
  test.each([
    ['an id in an attribute', '<Text id="form.send" />', ['form.send']],
    ['an id in code', "t(busy ? 'form.send' : 'form.title')", ['form.send', 'form.title']],
    ['an id in a template without values', 't(`form.send`)', ['form.send']],
    ['an id with a type annotation', "const labels = { name: 'label.name' } as const satisfies Labels", ['label.name']],
    ['nothing for an id that occurs only in a type', "type Id = 'form.send'; let id: 'form.title' | undefined;", []],
  ])('%s', async (_, screen, ids) => expect(await shown(screen)).toEqual({ found: ids, problems: [] }));

  test.each([
    ['imports statically', "import { More } from './more.part.tsx';"],
    ['re-exports', "export { More } from './more.part.tsx';"],
    ['imports dynamically', "const more = () => import('./more.part.tsx');"],
  ])('the messages of a module that its screen %s', async (_, screen) => {
    expect((await shown(screen, { [part]: '<Text id="label.name" />' })).found).toEqual(['label.name']);
  });

  test('no messages of a module that it imports only for a type', async () => {
    const screen = "import type { More } from './more.part.tsx';";
    expect((await shown(screen, { [part]: '<Text id="label.name" />' })).found).toEqual([]);
  });

  test('the failures of its requests, if it shows failures', async () => {
    expect((await shown(contract)).found).toEqual([]);
    expect((await shown(`${contract} ${template}`)).found.toSorted()).toEqual([...ofAsk, 'failure.validation_failed']);
  });

  test('the failures of sessions, if a request needs a session', async () => {
    const own = contract.replaceAll('ask;', 'own;').replace('{ ask }', '{ own }');
    const sender = "import '../../browser/requests/session-requests.ts';";
    expect((await shown(`${sender} ${contract} ${template}`)).found).not.toContain('failure.session_ended');
    expect((await shown(`${sender} ${own} ${template}`)).found).toContain('failure.session_ended');
  });

  test('the codes of their fields, and codes that it creates itself', async () => {
    const refusing =
      "refuse({ field: 'phone', code: typed ? 'phone_invalid' : 'required' }, { ...it, code: 'digits_four' });";
    const written = template.replace('failure', 'invalid');
    expect((await shown(`${contract} ${written} ${refusing}`)).found.toSorted()).toEqual([
      'invalid.digits_four',
      'invalid.not_understood',
      'invalid.phone_invalid',
      'invalid.required',
      'invalid.too_long',
    ]);
  });

  test('every reason for the end of a session', async () => {
    const { found } = await shown(template.replace('failure', 'session_ended'));
    expect(found.toSorted()).toEqual([...ids].filter((id) => id.startsWith('session_ended.')).toSorted());
  });
});

describe('the build fails and reports the line', () => {
  const at = 'src/journeys/ask/ask.screen.tsx';
  test.each([
    ["\n t('form.sent')", `${at}:2: "form.sent" is not in en.po`],
    ["t('form.' + what)", `${at}:1: "form." is not in en.po`],
    [
      template.replace('failure.', 'frame.'),
      `${at}:1: cannot determine the messages of \`frame.…\`: write out each id`,
    ],
    [
      template.replace('failure.', 'frame.d'),
      `${at}:1: cannot determine the messages of \`frame.d…\`: write out each id`,
    ],
    [
      template.replace('}', '}.help').replace('failure.', ''),
      `${at}:1: cannot determine the messages of \`….help\`: write out each id`,
    ],
    ['const more = (name) => import(name)', `${at}:1: cannot determine this import: its path is computed at run time`],
    [
      "const all = () => import('./ask.contract.ts')",
      `${at}: imports src/journeys/ask/ask.contract.ts, but uses none of its exports`,
    ],
  ])('%s', async (screen, problem) => expect((await shown(screen)).problems).toEqual([problem]));

  test('if a failure has no text', async () => {
    const { problems } = await shown(`${contract.replaceAll('ask;', 'other;')} ${template}`);
    expect(problems).toEqual(['failure.not_found is not in en.po']);
  });
});

test('a program uses the messages whose ids it contains', () => {
  const read = (path: string) => (path === 'a.ts' ? "import './b.ts';" : "say('mail.hello')");
  expect(openTexts({ ids, read, load: async () => ({}) }).program('a.ts')).toEqual(['mail.hello']);
});
