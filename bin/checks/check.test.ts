import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { copyProject } from '../../src/testing/project-copy.ts';

const project = copyProject();
afterAll(() => project.remove());

/** Runs `npm test -- …` in the copy. `until`: sends SIGINT, as the terminal does, once the output matches. */
function check(words: readonly string[], until?: RegExp): Promise<{ code: number | null; printed: string }> {
  const { PATH, SystemRoot } = process.env;
  const child = spawn(process.execPath, [project.path('bin', 'check.ts'), ...words], {
    cwd: project.path(),
    env: { PATH, SystemRoot },
  });
  return new Promise((resolve) => {
    let printed = '';
    const read = (text: Buffer) => {
      printed += text;
      if (until?.test(printed)) child.kill('SIGINT');
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('close', (code) => resolve({ code, printed }));
  });
}

/** Replaces text in a file of the copy; returns a function that restores it. */
function edit(path: string, from: string | RegExp, to: string): () => void {
  const file = project.path(...path.split('/'));
  const content = readFileSync(file, 'utf8');
  expect(content).toMatch(from);
  writeFileSync(file, content.replace(from, to));
  return () => writeFileSync(file, content);
}

const sheet = 'src/ui/layouts/stack.module.css';
/** One of the cheapest checks. */
const rules = ['changed', 'styles'];

test('a check that passed runs again only after a change; a failed or interrupted one always runs again', async () => {
  const first = await check(rules);
  expect(first).toMatchObject({ code: 0, printed: expect.stringContaining('ok      styles') });
  const second = await check(rules);
  expect(second).toMatchObject({ code: 0, printed: expect.stringContaining('0 passed, 0 failed, 1 unchanged') });
  const restore = edit(sheet, /$/, '\n.nobody {\n  color: red;\n}\n');
  for (const time of ['first', 'again']) {
    const failed = await check(rules);
    expect(failed.code, time).toBe(1);
    expect(failed.printed, time).toContain('FAILED  styles');
  }
  restore();
  expect((await check(rules)).printed).toContain('0 passed, 0 failed, 1 unchanged');
  edit(sheet, /$/, '\n');
  const interrupted = await check(['import', 'styles'], /ok {6}import rules|ok {6}styles/);
  expect(interrupted.code).not.toBe(0);
  expect((await check(rules)).printed).toContain('ok      styles');
  const nothing = { code: 1, printed: expect.stringContaining('No check has nonsense in its name; choose from unit') };
  expect(await check(['nonsense'])).toMatchObject(nothing);
});

test('the type check works while a translation and ids are missing; only the check of messages fails', async () => {
  edit('src/messages/en.po', /$/, '\n#. A note.\nmsgid "sign_in.late"\nmsgstr "Late"\n');
  edit('e2e/gallery.test.ts', /$/, "\nexport const late: MessageId = 'sign_in.late';\n");
  const types = await check(['types of the browser tests']);
  expect(types.printed).toContain('ids.ts was stale');
  expect(types.printed).toMatch(/1 passed, 0 failed/);
  edit('src/messages/ids.ts', "  | 'sign_in.late'", '');
  const messages = await check(['messages']);
  expect(messages.code).toBe(1);
  expect(messages.printed).toContain('de sign_in.late: is missing');
  expect(messages.printed).toContain('src/messages/ids.ts was stale');
});
