import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SettingsError } from '../contract/settings.ts';
import { addSecret } from '../operations/clients.ts';
import { addAccountToGroup } from '../operations/groups.ts';
import { loadClientsFile } from '../server/settings/clients-file.ts';
import { accountByAddressOrId } from '../store/accounts/find-accounts.ts';
import { groupsOf, maxGroupsOfAccount } from '../store/applications/account-groups.ts';
import { findClient, listClientSecrets, listClients } from '../store/applications/clients.ts';
import { runCommand } from '../testing/command-line.ts';
import { engines, usualEngines } from '../testing/databases/databases.ts';
import { register } from '../testing/people.ts';
import { openTestServer } from '../testing/test-server.ts';

const operator = { actor: 'root', origin: 'terminal', reason: undefined };

describe.each(usualEngines)('clients and groups, on %s', (engine) => {
  const opened = openTestServer(engine);
  const runWith = async (settings: Record<string, string>, ...words: string[]) => {
    const { DATA_DIR, DATABASE_URL } = (await opened).config;
    return runCommand(words, {
      folder: DATA_DIR,
      settings: { DATA_DIR, DATABASE_URL, PHONE_CONFIRMATION: 'off', ...settings },
    });
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
    const { store } = await opened;
    const [, newer] = await listClientSecrets(store, id);
    expect(await asJson('clients', 'secret', id, '--drop')).toEqual({ client_id: id, dropped: true });
    expect(await listClientSecrets(store, id)).toEqual([newer]);
    expect(await run('clients', 'remove', id)).toMatchObject({ code: 0 });
    expect(await run('clients', 'show', id)).toMatchObject({ code: 1, out: `${id}: no such client\n` });
    const { entries } = await asJson('audit');
    const actions = entries.map(({ action }: { action: string }) => action);
    expect(actions.slice(0, 4)).toEqual([
      'client_removed',
      'client_secret_dropped',
      'client_secret_added',
      'client_added',
    ]);
  });

  test.each([
    ['http://app.example/', '--redirect: "http://app.example/" must begin with https://'],
    ['https://app.example/#a', 'has a fragment'],
    ['https://ada@app.example/', 'has a user name'],
    ['https://*.app.example/', 'is not a URL'],
    ['com.example.app:/in', 'only a public client'],
    ['javascript:alert(1)', 'must begin with https://'],
    ['https://wiki.example/.vestibule/callback', 'the guard passes on who people are without asking them'],
  ])('the redirect URI %s is refused', async (uri, why) => {
    const { code, err } = await run('clients', 'add', 'App', '--redirect', uri);
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
    const { store } = await opened;
    expect((await findClient(store, id))?.groups).toEqual(['staff', 'admins', 'guests']);
  });

  test('an operator puts accounts into groups', async () => {
    const { email } = await register(await opened);
    expect(await run('groups', 'add', email, 'staff')).toMatchObject({ code: 0, out: `${email}: added to staff\n` });
    expect(await run('groups', 'add', email, 'not, one')).toMatchObject({ code: 2 });
    expect((await asJson('groups', 'list', email)).groups).toEqual(['staff']);
    expect((await run('groups', 'list', 'staff')).out).toContain(email);
    expect((await run('groups', 'list')).out).toBe('staff  1\n');
    expect(await run('groups', 'remove', email, 'staff')).toMatchObject({ code: 0 });
    expect(await run('groups', 'remove', email, 'staff')).toMatchObject({ code: 1 });
  });

  test('CLIENTS_FILE adds, changes and removes its clients, and names each invalid entry', async () => {
    const { config, store, now } = await opened;
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
      wiki,
    ];
    const error = await Promise.resolve()
      .then(() => load(wrong))
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SettingsError);
    expect((error as Error).message.split('\n')).toEqual([
      'CLIENTS_FILE: "two": redirect_uris: "http://two.example/" must begin with https://',
      expect.stringMatching(/^CLIENTS_FILE: entry 3: client_id: /),
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

describe.each(engines)('operators who act at the same time, on %s,', (engine) => {
  const opened = openTestServer(engine);
  const runWith = async (settings: Record<string, string>, ...words: string[]) => {
    const { DATA_DIR, DATABASE_URL } = (await opened).config;
    return runCommand(words, {
      folder: DATA_DIR,
      settings: { DATA_DIR, DATABASE_URL, PHONE_CONFIRMATION: 'off', ...settings },
    });
  };
  const run = (...words: string[]) => runWith({}, ...words);
  const asJson = async (...words: string[]) => JSON.parse((await run(...words, '--json')).out);

  test('of two operators who add a second secret at the same time, one is refused', async () => {
    const { client_id: id } = await asJson('clients', 'add', 'Wiki', '--redirect', 'https://wiki.example/login');
    const { store } = await opened;
    const operation = { store, operator, now: Date.now() };
    const ended = await Promise.all(Array.from({ length: 8 }, () => addSecret(operation, id)));
    expect(ended.filter(({ state }) => state === 'added')).toHaveLength(1);
    expect(await listClientSecrets(store, id)).toHaveLength(2);
  });

  test('an account is in 100 groups at most, although operators add several at the same time', async () => {
    const { email } = await register(await opened);
    const { store } = await opened;
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
