import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { migrations } from '../store/migrate.ts';
import { runCommand } from '../testing/command-line.ts';
import { freshDatabase, migratedDatabase, usualEngines } from '../testing/databases/databases.ts';

const folder = mkdtempSync(join(tmpdir(), 'vestibule-cli-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const vestibule = (words: readonly string[], settings: Record<string, string | undefined>) =>
  runCommand(words, { folder, settings });

describe.each(usualEngines)('the command line, on %s', (engine) => {
  const database = migratedDatabase(engine);
  const settings = async () => {
    const { dataDir, databaseUrl } = await database;
    return { DATA_DIR: dataDir, DATABASE_URL: databaseUrl, PHONE_CONFIRMATION: 'off' };
  };

  test('adds a promo code once', async () => {
    const words = ['promo', 'add', 'SUMMER26', '--uses', '3', '--until', '2099-12-31', '--json'];
    const added = await vestibule(words, await settings());
    expect([added.code, JSON.parse(added.out)]).toEqual([
      0,
      { code: 'SUMMER26', uses: 3, until: Date.UTC(2100, 0) - 1 },
    ]);
    expect(await vestibule(words, await settings())).toMatchObject({ code: 2, err: 'SUMMER26 already exists\n' });
  });

  test('trims a promo code, and keeps its end to the second', async () => {
    const words = [
      'promo',
      'add',
      ' AUTUMN26\t',
      '--uses',
      '999999999',
      '--until',
      '2096-02-29T12:00:00+02:00',
      '--json',
    ];
    const { code, out } = await vestibule(words, await settings());
    const until = Date.UTC(2096, 1, 29, 10);
    expect([code, JSON.parse(out)]).toEqual([0, { code: 'AUTUMN26', uses: 999_999_999, until }]);
  });

  test('refuses a search text that is longer than any field', async () => {
    const { code, err } = await vestibule(['accounts', 'find', 'x'.repeat(100_000)], await settings());
    expect([code, err]).toEqual([2, expect.stringMatching(/^accounts find TEXT: [^\n]+\n$/)]);
  });

  test('migrate --check reports pending migrations, changes nothing, and succeeds after migrate', async () => {
    const fresh = await freshDatabase(engine);
    const place = { DATA_DIR: fresh.dataDir, DATABASE_URL: fresh.databaseUrl, PHONE_CONFIRMATION: 'off' };
    const before = await vestibule(['migrate', '--check'], place);
    expect(before).toMatchObject(
      engine === 'sqlite' ? { code: 2, err: expect.stringMatching(/has no database/) } : { code: 1 },
    );
    expect(await vestibule(['migrate'], place)).toMatchObject({ code: 0, out: 'The database is up to date.\n' });
    const after = await vestibule(['migrate', '--check', '--json'], place);
    expect([after.code, JSON.parse(after.out)]).toEqual([0, { ahead: 0 }]);
    // A second one has nothing to do, so the audit log does not record it.
    await vestibule(['migrate', '--reason', 'again'], place);
    const { entries } = JSON.parse((await vestibule(['audit', '--json'], place)).out);
    const subject = `${Object.keys(migrations).length} migrations`;
    expect(entries).toEqual([expect.objectContaining({ action: 'database_migrated', subject, reason: null })]);
  });

  test('the doctor accepts a new installation, and warns of development defaults', async () => {
    const { code, out } = await vestibule(['doctor'], await settings());
    expect(out).toMatch(/^ok {7}settings/m);
    expect(out).toMatch(new RegExp(`^ok {7}database +${engine}, (intact, )?tables up to date, 0 accounts$`, 'm'));
    expect(out).toMatch(/^warning {2}mail +emails arrive in the development inbox/m);
    expect(code).toBe(0);
  });
});

describe('the doctor', () => {
  const settings = (more: Record<string, string>) => ({ DATA_DIR: folder, PHONE_CONFIRMATION: 'off', ...more });
  const circle = join(folder, 'rules.json');
  writeFileSync(circle, '{"/a/":"/b/","/b/":"/a/"}');

  test.each([
    [{ PORT: 'x' }, /^FAILED {3}settings +PORT: must be a whole number$/m],
    [{ SMTP_URL: 'smtp://127.0.0.1:9' }, /^FAILED {3}mail +.*ECONNREFUSED/m],
    [{ REDIRECT_RULES: circle }, /^FAILED {3}settings +REDIRECT_RULES: these rules form a loop/m],
    [{ DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' }, /^FAILED {3}database +/m],
  ])('with %j reports the error and continues', async (wrong, finding) => {
    const { code, out } = await vestibule(['doctor'], settings(wrong));
    expect(out).toMatch(finding);
    expect(code).toBe(1);
  });
});

test.each([
  ['accounts', 'find', 'anna'],
  ['clients', 'list'],
  ['clients', 'add', 'Wiki', '--redirect', 'https://wiki.example/in'],
  ['outbox'],
  ['audit'],
])('%s %s with a wrong DATA_DIR is refused with its path, and creates nothing', async (...words) => {
  for (const wrong of [join(folder, 'missing'), (await freshDatabase('sqlite')).dataDir]) {
    const { code, err } = await vestibule(words, { DATA_DIR: wrong, PHONE_CONFIRMATION: 'off' });
    expect([code, err]).toEqual([2, expect.stringMatching(`^DATA_DIR: ${wrong} has no database\\. `)]);
    expect(existsSync(wrong) ? readdirSync(wrong) : []).toEqual([]);
  }
});

const known = migratedDatabase('sqlite');

test.each([
  [
    ['accounts', 'lok', 'anna'],
    /^unknown command: accounts lok\nCommands: accounts find, .*\nvestibule accounts --help explains them\.\n$/,
  ],
  [
    ['lock', 'anna'],
    /^unknown command: lock anna\nCommands: accounts, import, .*\nvestibule --help explains them\.\n$/,
  ],
  [['promo', 'add', 'abc'], /^promo add CODE: one code of 6 to 179 characters/],
  [['promo', 'add', 'LONGENOUGH', '--until', '1999-01-01'], /^--until DATE: a future date/],
  [['promo', 'add', ' SHORT '], /^promo add CODE: one code of 6 to 179 characters/],
  [['promo', 'add', 'LONGENOUGH', '--until', '2099-02-29'], /^--until DATE: a future date/],
  [['promo', 'add', 'LONGENOUGH', '--until', 'some day in 2099'], /^--until DATE: a future date/],
  [['promo', 'add', 'LONGENOUGH', '--until', '2099-02-28T25:00Z'], /^--until DATE: a future date/],
  [['promo', 'add', 'LONGENOUGH', '--uses', '0'], /^--uses N: a whole number/],
  [['promo', 'add', 'LONGENOUGH', '--uses', '0x10'], /^--uses N: a whole number/],
  [['promo', 'add', 'LONGENOUGH', '--uses', '3000000000'], /^--uses N: a whole number/],
  [
    ['promo', 'add', 'LONGENOUGH', '--uses', '3', '--uses', '30'],
    /^--uses was given twice\n\nUsage: vestibule promo add/,
  ],
  [['doctor', 'accounts'], /^doctor \[--quick/],
  [['promo', 'add', 'LONGENOUGH', '--nonsense'], /Unknown option/],
])('%j is refused with the correct usage', async (words, said) => {
  const { code, err } = await vestibule(words, { DATA_DIR: (await known).dataDir });
  expect(err).toMatch(said);
  expect(code).toBe(2);
});

describe('--help', () => {
  const help = async (...words: string[]) => (await vestibule([...words, '--help'], { DATA_DIR: folder })).out;
  const commandsIn = (listing: string) =>
    [...listing.matchAll(/^ {2}([a-z]\S*(?: [a-z][a-z-]*)?)/gm)].map(([, name = '']) => name);

  test('explains every option in the usage of every command, with an example', async () => {
    const commands = commandsIn(await help());
    expect(commands.length).toBeGreaterThan(30);
    for (const command of commands) {
      const text = await help(...command.split(' '));
      const [usage = '', after = ''] = text.split(/\n\nOptions:\n/);
      const named = [...(usage.split('\n')[0] ?? '').matchAll(/--[a-z0-9-]+/g)].map(([option]) => option);
      const explained = [...after.matchAll(/^ {2}(--[a-z0-9-]+)[^\n]* {2,}\S/gm)].map(([, option]) => option);
      expect([command, explained.sort()]).toEqual([command, [...named, '--json', '--help'].sort()]);
      expect(text).toContain(`Example:\n  vestibule ${command}`);
    }
  });

  test('of a group lists its commands', async () => {
    expect(commandsIn(await help('keys', 'rotate'))).not.toContain('keys list');
    expect(commandsIn(await help('groups'))).toEqual(['groups add', 'groups remove', 'groups list']);
  });
});

test.each<[string[], object, number]>([
  [['nonsense', '--json'], { error: expect.stringMatching(/^unknown command: nonsense/) }, 2],
  [['--json'], { error: expect.stringMatching(/^Usage: vestibule/) }, 2],
  [['promo', 'add', 'abc', '--json'], { error: expect.stringMatching(/^promo add CODE/) }, 2],
  [['promo', 'add', 'LONGENOUGH', '--nonsense', '--json'], { error: expect.stringMatching(/Unknown option/) }, 2],
  [['backup', 'nowhere/copy', '--json'], { error: expect.stringMatching(/^DATA_DIR|^cannot create/) }, 1],
  [
    ['promo', 'add', '--help', '--json'],
    {
      commands: [
        expect.objectContaining({ usage: expect.stringMatching(/^promo add CODE/), summary: expect.any(String) }),
      ],
    },
    0,
  ],
  [
    ['-h', '--json'],
    { commands: expect.arrayContaining([expect.objectContaining({ summary: expect.any(String) })]) },
    0,
  ],
])('%j responds in JSON', async (words, expected, code) => {
  const { dataDir } = await freshDatabase('sqlite');
  const place = { folder: dataDir, settings: { DATA_DIR: dataDir, PHONE_CONFIRMATION: 'off' } };
  await runCommand(['migrate'], place);
  const ended = await runCommand(words, place);
  expect([JSON.parse(ended.out), ended.code]).toEqual([expected, code]);
});
