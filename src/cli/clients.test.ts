import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SettingsError } from '../contract/settings.ts';
import { addSecret } from '../operations/clients.ts';
import { addAccountToGroup } from '../operations/groups.ts';
import { loadClientsFile } from '../server/settings/clients-file.ts';
import { accountByAddressOrId } from '../store/accounts/find-accounts.ts';
import { groupsOf, maxGroupsOfAccount } from '../store/applications/account-groups.ts';
import { findClient, listClientSecrets, listClients } from '../store/applications/clients.ts';
import { placeOf, runCommand } from '../testing/command-line.ts';
import { engines, usualEngines } from '../testing/databases/databases.ts';
import { register } from '../testing/people.ts';
import { openTestServer } from '../testing/test-server.ts';

const operator = { kind: 'command', actor: 'root', origin: 'terminal', reason: undefined } as const;

describe.each(usualEngines)('clients and groups, on %s', async (engine) => {
  const opened = await openTestServer(engine);
  const runWith = async (settings: Record<string, string>, ...words: string[]) => {
    return runCommand(words, placeOf(opened, settings));
  };
  const run = (...words: string[]) => runWith({}, ...words);
  const asJson = async (...words: string[]) => JSON.parse((await run(...words, '--json')).out);

  test('an operator adds, lists, shows and removes a client, and exchanges its secret', async () => {
    const added = await asJson(
      'clients',
      'add',
      'Grafana',
      '--redirect',
      'https://grafana.example/login',
      '--groups',
      'staff',
    );
    // Other commands would take an id for an option if it began with a hyphen, as one in 64 base64url texts does.
    expect(added).toEqual({
      client_id: expect.stringMatching(/^[\da-f]{8}-/),
      client_secret: expect.any(String),
      client_name: 'Grafana',
    });
    const id = added.client_id;
    const shown = await run('clients', 'show', id);
    expect(shown.out).toMatch(/^redirect_uris +https:\/\/grafana\.example\/login$/m);
    expect(shown.out).not.toContain(added.client_secret);
    expect((await run('clients', 'list')).out).toContain('Grafana');
    expect(await run('clients', 'secret', id, '--drop')).toMatchObject({ code: 1 });
    const second = await asJson('clients', 'secret', id);
    expect(second.client_secret).not.toBe(added.client_secret);
    expect(await run('clients', 'secret', id)).toMatchObject({ code: 1, out: expect.stringContaining('two secrets') });
    const { store } = opened;
    const [, newer] = await listClientSecrets(store, id);
    expect(await asJson('clients', 'secret', id, '--drop')).toEqual({ client_id: id, dropped: true });
    expect(await listClientSecrets(store, id)).toEqual([newer]);
    expect((await run('clients', 'why', id)).out).toBe('No request of it was refused in the last 30 days.\n');
    const wrong = `/oidc/auth?client_id=${id}&response_type=code&redirect_uri=https://grafana.example/other`;
    const failed = (await opened.client().get(wrong)).headers.get('location') ?? '';
    const { out } = await run('clients', 'why', id);
    expect(out).toContain('  /oidc/auth  invalid_redirect_uri: ');
    expect(out).toContain('\n    redirect_uri: https://grafana.example/other\n');
    expect(out).toContain(`reference ${new URL(failed, 'https://x').searchParams.get('reference')}\n`);
    expect(await run('clients', 'why', 'nobody')).toMatchObject({ code: 1 });
    expect(await run('clients', 'confirm', id)).toMatchObject({ code: 1, out: `${id}: is not in doubt\n` });
    await store.updateTable('clients').set({ doubted_by: 'o', doubted_at: 1 }).where('id', '=', id).execute();
    expect((await run('clients', 'list')).out).toContain('in doubt');
    expect(await run('clients', 'confirm', id)).toMatchObject({ code: 0, out: `${id}: confirmed\n` });
    expect(await run('clients', 'remove', id)).toMatchObject({ code: 0 });
    expect(await run('clients', 'show', id)).toMatchObject({ code: 1, out: `${id}: no such client\n` });
    const { entries } = await asJson('audit');
    const actions = entries.map(({ action }: { action: string }) => action);
    expect(actions.slice(0, 5)).toEqual([
      'client_removed',
      'client_confirmed',
      'client_secret_dropped',
      'client_secret_added',
      'client_added',
    ]);
  });

  test.each([
    ['http://app.example/', '--redirect: "http://app.example/" must begin with https://'],
    ['https://app.example/#a', 'has a fragment'],
    ['https://ada@app.example/', 'has a user name'],
    ['https://*.app.example/', 'has a wildcard; list each address instead'],
    ['com.example.app:/in', 'only a public client'],
    ['https://app.example/\u202emoc.elpmaxe', 'is not a URL'],
    ['javascript:alert(1)', 'must begin with https://'],
    ['https://wiki.example/.vestibule/callback', 'the guard passes on who people are without asking them'],
  ])('the redirect URI %s is refused', async (uri, why) => {
    const { code, err } = await run('clients', 'add', 'App', '--redirect', uri);
    expect([code, err]).toEqual([2, expect.stringContaining(why)]);
  });

  test('an operator changes any property of a client, and the rest stays', async () => {
    const first = ['--redirect', 'https://wiki.example/in', '--groups', 'staff', '--first-party', '--post-logout'];
    const added = await asJson('clients', 'add', 'Wiki', ...first, 'https://wiki.example/');
    const change = (...words: string[]) => run('clients', 'change', added.client_id, ...words);
    const shown = () => asJson('clients', 'show', added.client_id);
    const before = await shown();
    expect(before.id_token_signed_response_alg).toBe('RS256');
    const given = [
      '--redirect',
      'https://wiki.example/in',
      '--redirect',
      'https://new.example/in',
      '--name',
      'New wiki',
    ];
    const more = ['--resource', ' https://notes.example/   notes:read', '--claim', 'login=email', '--without-pkce'];
    expect(await change(...given, ...more, '--es256')).toMatchObject({ code: 0 });
    expect(await shown()).toEqual({
      ...before,
      client_name: 'New wiki',
      redirect_uris: ['https://wiki.example/in', 'https://new.example/in'],
      resources: ['https://notes.example/ notes:read'],
      claims: { login: 'email' },
      without_pkce: true,
      id_token_signed_response_alg: 'ES256',
    });
    const removed = ['--no-groups', '--no-first-party', '--no-es256', '--no-claim', '--no-without-pkce'];
    expect(await change(...removed, '--no-resource', '--name', 'Wiki')).toMatchObject({ code: 0 });
    expect(await shown()).toEqual({
      ...before,
      redirect_uris: given.slice(1, 4).filter((word) => /^h/.test(word)),
      groups: [],
      first_party: false,
    });
    expect(await change('--no-redirect')).toMatchObject({ code: 2, err: expect.stringContaining('--redirect: must') });
    expect(await change('--groups', 'a', '--no-groups')).toMatchObject({ code: 2 });
    expect((await run('clients', 'change', 'nobody', '--name', 'X')).out).toBe('nobody: no such client\n');
    expect((await asJson('audit')).entries[0]).toMatchObject({ action: 'client_changed' });
  });

  test('a client loses its secrets when it becomes public, and gets one when it no longer is', async () => {
    const added = await asJson('clients', 'add', 'Page', '--redirect', 'https://page.example/in');
    const { store } = opened;
    await run('clients', 'change', added.client_id, '--public');
    expect(await listClientSecrets(store, added.client_id)).toEqual([]);
    const changed = await asJson('clients', 'change', added.client_id, '--no-public');
    expect(changed.client_secret).toMatch(/^[\w-]{43}$/);
    expect(await listClientSecrets(store, added.client_id)).toHaveLength(1);
  });

  test.each([
    ['--claim', 'sub=email', '--claim: "sub" is not a free name for a claim'],
    ['--claim', 'login=shoe_size', 'must be one of sub, name, given_name'],
    ['--claim', 'login', '--claim NAME=CLAIM'],
    ['--public', '--without-pkce', '--without-pkce: is not for a public client'],
  ])('%s %s is refused', async (one, other, why) => {
    const { code, err } = await run('clients', 'add', 'App', '--redirect', 'https://app.example/', one, other);
    expect([code, err]).toEqual([2, expect.stringContaining(why)]);
  });

  test('a name with invisible characters is refused', async () => {
    expect(await run('clients', 'add', 'Gra\u202efana', '--redirect', 'https://app.example/')).toMatchObject({
      code: 2,
    });
  });

  test.each(['', ' , ', 'staff,,admins', 'staff,'])(
    '--groups %j, as from an empty variable, admits nobody by accident',
    async (groups) => {
      const { code, err } = await run(
        'clients',
        'add',
        'Open',
        '--redirect',
        'https://app.example/',
        '--groups',
        groups,
      );
      expect([code, err]).toEqual([2, expect.stringContaining('--groups A,B: names of groups')]);
      expect((await run('clients', 'list')).out).not.toContain('Open');
    },
  );

  test('repeated --groups all count', async () => {
    const groups = ['--groups', 'staff, admins', '--groups', 'guests'];
    const { client_id: id } = await asJson('clients', 'add', 'Wiki', '--redirect', 'https://wiki.example/', ...groups);
    const { store } = opened;
    expect((await findClient(store, id))?.groups).toEqual(['staff', 'admins', 'guests']);
  });

  test('a client of CLIENTS_FILE is changed only there', async () => {
    const { config, store, now } = opened;
    const file = join(config.DATA_DIR, 'one-client.json');
    const entry = { client_id: 'one', client_name: 'One', public: true, redirect_uris: ['https://one.example/in'] };
    writeFileSync(file, JSON.stringify([entry]));
    await loadClientsFile({ store, file, now: now() });
    const refused = await runWith({ CLIENTS_FILE: file }, 'clients', 'change', 'one', '--name', 'Two');
    expect(refused).toMatchObject({ code: 1, out: 'one: is from CLIENTS_FILE; change it there, and send SIGHUP\n' });
    writeFileSync(file, '[]');
    await loadClientsFile({ store, file, now: now() });
  });

  test('an operator puts accounts into groups', async () => {
    const { email } = await register(opened);
    expect(await run('groups', 'add', email, 'staff')).toMatchObject({ code: 0, out: `${email}: added to staff\n` });
    expect(await run('groups', 'add', email, 'not, one')).toMatchObject({ code: 2 });
    expect((await asJson('groups', 'list', email)).groups).toEqual(['staff']);
    expect((await run('groups', 'list', 'staff')).out).toContain(email);
    expect((await run('groups', 'list')).out).toBe('staff  1\n');
    expect(await run('groups', 'remove', email, 'staff')).toMatchObject({ code: 0 });
    expect(await run('groups', 'remove', email, 'staff')).toMatchObject({ code: 1 });
  });

  test('CLIENTS_FILE adds, changes and removes its clients, and names each invalid entry', async () => {
    const { config, store, now } = opened;
    const file = join(config.DATA_DIR, 'clients.json');
    const wiki = {
      client_id: 'wiki',
      client_name: 'Wiki',
      client_secrets: ['a-secret-of-the-wiki-with-40-characters-'],
      redirect_uris: ['https://wiki.example/in'],
    };
    const load = (clients: unknown) => {
      writeFileSync(file, JSON.stringify(clients));
      return loadClientsFile({ store, file, now: now() });
    };
    expect(await load([wiki])).toEqual({ added: 1, changed: 0, removed: 0 });
    expect(await load([wiki])).toEqual({ added: 0, changed: 0, removed: 0 });
    expect(await load([{ ...wiki, groups: ['staff'] }])).toEqual({ added: 0, changed: 1, removed: 0 });
    expect(await findClient(store, 'wiki')).toMatchObject({ groups: ['staff'], isFromFile: true });
    const wrong = [
      wiki,
      { ...wiki, client_id: 'two', redirect_uris: ['http://two.example/'] },
      { client_name: 'Three' },
      { ...wiki, client_id: 'four', client_secrets: ['a secret with spaces and % signs, 40 chars'] },
      { ...wiki, client_id: 'five', redirect_url: 'x' },
      wiki,
    ];
    const error = await Promise.resolve()
      .then(() => load(wrong))
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SettingsError);
    expect((error as Error).message.split('\n')).toEqual([
      'CLIENTS_FILE: "two": redirect_uris: "http://two.example/" must begin with https://',
      expect.stringMatching(/^CLIENTS_FILE: entry 3: client_id: /),
      'CLIENTS_FILE: "four": client_secrets.0: must be of ASCII letters, digits and signs, without spaces and %',
      'CLIENTS_FILE: "five": unknown: redirect_url',
      'CLIENTS_FILE: "wiki": is in the file twice',
    ]);
    expect(await load([])).toEqual({ added: 0, changed: 0, removed: 1 });
    expect((await listClients(store)).filter(({ isFromFile }) => isFromFile)).toEqual([]);

    await load([wiki]);
    const inFile = await runWith({ CLIENTS_FILE: file }, 'clients', 'remove', 'wiki');
    expect(inFile).toMatchObject({ code: 1, out: 'wiki: is from CLIENTS_FILE; remove it there, and send SIGHUP\n' });
    expect(await findClient(store, 'wiki')).toBeDefined();
    const withoutFile = await run('clients', 'remove', 'wiki');
    expect(withoutFile).toMatchObject({ code: 0, out: expect.stringContaining('a node with this CLIENTS_FILE') });
    expect(await findClient(store, 'wiki')).toBeUndefined();
  });
});

describe.each(engines)('operators who act at the same time, on %s,', async (engine) => {
  const opened = await openTestServer(engine);
  const runWith = async (settings: Record<string, string>, ...words: string[]) => {
    return runCommand(words, placeOf(opened, settings));
  };
  const run = (...words: string[]) => runWith({}, ...words);
  const asJson = async (...words: string[]) => JSON.parse((await run(...words, '--json')).out);

  test('of two operators who add a second secret at the same time, one is refused', async () => {
    const { client_id: id } = await asJson('clients', 'add', 'Wiki', '--redirect', 'https://wiki.example/login');
    const { store } = opened;
    const operation = { store, operator, now: Date.now() };
    const ended = await Promise.all(Array.from({ length: 8 }, () => addSecret(operation, id)));
    expect(ended.filter(({ state }) => state === 'added')).toHaveLength(1);
    expect(await listClientSecrets(store, id)).toHaveLength(2);
  });

  test('an account is in 100 groups at most, although operators add several at the same time', async () => {
    const { email } = await register(opened);
    const { store } = opened;
    const account = await accountByAddressOrId(store, email);
    if (!account) throw new Error('no account');
    const operation = { store, operator, now: Date.now() };
    const add = (group: string) => addAccountToGroup(operation, { account, group });
    await Promise.all(Array.from({ length: maxGroupsOfAccount - 1 }, (_, at) => add(`group-${at}`)));
    const ended = await Promise.all(['one', 'two', 'three', 'four'].map(add));
    expect(ended.toSorted()).toEqual(['added', 'full', 'full', 'full']);
    expect(await run('groups', 'add', email, 'five')).toMatchObject({ code: 1 });
    expect(await groupsOf(store, account.id)).toHaveLength(maxGroupsOfAccount);
    await run('accounts', 'delete', email);
  });
});

const blocksOf = (document: string, language: string): string[] =>
  [...readFileSync(join('docs', document), 'utf8').matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, name]) => name === language)
    .map(([, , text = '']) => text);

/** The words of a shell command, without their quotation marks. */
const wordsOf = (command: string): string[] =>
  [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

const commands = blocksOf('integrate.md', 'sh')
  .flatMap((text) => text.replaceAll(/\\\n\s*/g, '').split('\n'))
  // `npx vestibule` could install a package of that name, which is not ours.
  .flatMap((line) => /^(?:npm run -s vestibule --|vestibule) (clients add .+)$/.exec(line)?.[1] ?? []);

test('the commands in docs/integrate.md add their clients', async () => {
  const { config, store } = await openTestServer('sqlite');
  const { DATA_DIR } = config;
  const options = { folder: DATA_DIR, settings: { DATA_DIR, PHONE_CONFIRMATION: 'off' } };
  expect(commands).toHaveLength(7);
  const results = await Promise.all(commands.map((command) => runCommand(wordsOf(command), options)));
  expect(results.map(({ code, err }) => [code, err])).toEqual(commands.map(() => [0, '']));
  const names = (await listClients(store)).map(({ name }) => name);
  expect(names.sort()).toEqual(commands.map((command) => wordsOf(command)[2]).sort());
});

test('the service reads the CLIENTS_FILE in docs/openid.md', async () => {
  const { config, store, now } = await openTestServer('sqlite');
  const [block = ''] = blocksOf('openid.md', 'json');
  const file = join(config.DATA_DIR, 'clients.json');
  writeFileSync(file, block);
  expect(await loadClientsFile({ store, file, now: now() })).toMatchObject({ added: 1 });
});
