import { expect, test } from 'vitest';
import { runCommand } from '../testing/command-line.ts';
import { openTestServer } from '../testing/test-server.ts';

test('keys for operators are shown once, expire within a year, and are revoked once', async () => {
  const { config, store } = await openTestServer('sqlite');
  const { DATA_DIR } = config;
  const run = (words: string) => runCommand(words.split(' '), { folder: DATA_DIR, settings: { DATA_DIR } });
  for (const [words, complaint] of [
    ['keys-for-operators add x --role owner', '--role ROLE: one of viewer, support'],
    ['keys-for-operators add x --role viewer --days 366', '--days N: a whole number from 1 to 365'],
    ['keys-for-operators add x --role viewer --from 10.0.0.0/33', 'no address, and no range'],
    ['operators invite anna --role owner', 'one email address'],
    ['operators invite anna@mail.example --role boss', 'one of viewer, support, owner'],
  ])
    expect(await run(words as string), words).toMatchObject({
      code: 2,
      err: expect.stringContaining(complaint as string),
    });
  const { id, key } = JSON.parse(
    (await run('keys-for-operators add help desk --role support --from 10.0.0.0/8 --json')).out,
  );
  expect(key).toMatch(/^vop_[\w-]{43}$/);
  const { out } = await run('keys-for-operators list');
  expect(out).toMatch(/help desk +support +10\.0\.0\.0\/8 +until .* never used/);
  expect(out).not.toContain(key);
  expect(JSON.stringify(await store.selectFrom('operator_keys').selectAll().execute())).not.toContain(key);
  expect(await run(`keys-for-operators revoke ${id}`)).toMatchObject({ code: 0 });
  expect(await run(`keys-for-operators revoke ${id}`)).toMatchObject({ code: 1 });
  const { entries } = JSON.parse((await run('audit --json')).out);
  expect(entries.map(({ action }: { action: string }) => action)).toEqual([
    'operator_key_revoked',
    'operator_key_added',
  ]);
});

test('invitations are listed until they are revoked, once, and without their secret', async () => {
  const { config } = await openTestServer('sqlite');
  const { DATA_DIR } = config;
  const run = (words: string) => runCommand(words.split(' '), { folder: DATA_DIR, settings: { DATA_DIR } });
  const { invitation } = JSON.parse((await run('operators invite Anna@mail.example --role viewer --json')).out);
  const { out } = await run('operators invitations');
  expect(out).toMatch(/^anna@mail\.example +viewer +until \S+ +by a command\n$/);
  expect(out).not.toContain(invitation);
  expect(await run('operators revoke anna@mail.example')).toMatchObject({ code: 0 });
  expect(await run('operators revoke anna@mail.example')).toMatchObject({ code: 1 });
  expect((await run('operators invitations')).out).toBe('No invitation is open.\n');
  const { entries } = JSON.parse((await run('audit --most 1 --json')).out);
  expect(entries).toMatchObject([{ action: 'operator_invitation_revoked', subject: 'a***@mail.example: viewer' }]);
});
