import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadClientsFile } from '../server/settings/clients-file.ts';
import { listClients } from '../store/applications/clients.ts';
import { runCommand } from '../testing/command-line.ts';
import { openTestServer } from '../testing/test-server.ts';

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
