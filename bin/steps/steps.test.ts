import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { languages } from '../../src/contract/languages.ts';
import { minutes } from '../../src/contract/units.ts';
import { type Catalog, readCatalog } from '../../src/messages/catalog.ts';
import { signAdHoc } from './ad-hoc-signature.ts';
import { withEnglish } from './messages.ts';
import { isRunning } from './process.mjs';

// On Windows, only this shows that a parent has ended.
test('a process is running until it has ended', async () => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
  const ended = once(child, 'exit');
  const { pid = 0 } = child;
  expect([isRunning(pid), isRunning(process.pid)]).toEqual([true, true]);
  child.stdin.end();
  await ended;
  expect(isRunning(pid)).toBe(false);
});

/** Finishes its work two seconds after SIGTERM; a second signal ends it before. */
const worker = `
  const { writeFileSync } = require('node:fs');
  const [begun, finished] = process.argv.slice(1);
  process.once('SIGTERM', () => setTimeout(() => { writeFileSync(finished, ''); process.exit(); }, 2000));
  writeFileSync(begun, '');
  setTimeout(() => process.exit(), 60_000);`;
const launcher = `
  import { runToEnd } from '${join(import.meta.dirname, 'process.mjs')}';
  await runToEnd(process.execPath, process.argv.slice(1), { stdio: 'ignore', untilParentEnds: true });`;
const parent = `
  require('node:child_process').spawn(process.execPath, process.argv.slice(1), { stdio: 'ignore' });
  setInterval(() => undefined, 60_000);`;

test.skipIf(process.platform === 'win32')('a program whose parent ends can finish its work', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vestibule-parent-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [begun, finished] = [join(folder, 'begun'), join(folder, 'finished')];
  const launch = ['--input-type=module', '-e', launcher, '--', '-e', worker, begun, finished];
  const child = spawn(process.execPath, ['-e', parent, '--', ...launch], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const within = { timeout: minutes(1) };
  await expect.poll(() => existsSync(begun), within).toBe(true);
  child.kill('SIGKILL');
  await expect.poll(() => existsSync(finished), within).toBe(true);
});

const catalogOf = (language: string, texts: Readonly<Record<string, string>>): [string, Catalog] => {
  const entries = Object.entries(texts).map(([id, text]) => `msgid "${id}"\nmsgstr "${text}"\n`);
  return [language, readCatalog(`msgid ""\nmsgstr ""\n"Language: ${language}\\n"\n\n${entries.join('\n')}`)];
};

const english = { 'form.send': 'Send', 'form.title': 'Your {name}' };

test.each([
  ['is translated', { 'form.send': 'Senden', 'form.title': 'Ihr {name}' }, ['Senden', 'Ihr {name}']],
  ['is missing', { 'form.send': 'Senden' }, ['Senden', 'Your {name}']],
  ['is empty', { 'form.send': '', 'form.title': 'Ihr {name}' }, ['Send', 'Ihr {name}']],
  ['is invalid', { 'form.send': 'Senden', 'form.title': 'Ihr {name' }, ['Senden', 'Your {name}']],
  [
    'does not exist in English',
    { 'form.send': 'Senden', 'form.title': 'Ihr {name}', 'form.old': 'Alt' },
    ['Senden', 'Ihr {name}'],
  ],
])('if a text %s, the language uses its own text or the English one', (_sentence, german, texts) => {
  const complete = withEnglish(new Map([catalogOf('en', english), catalogOf('de', german)]));
  expect(complete.get('de')?.entries.map(({ text }) => text)).toEqual(texts);
});

test('a language without a catalog uses English', () => {
  const complete = withEnglish(new Map([catalogOf('en', english)]));
  expect([...complete.keys()]).toEqual(languages.map(({ code }) => code));
  expect(complete.get('ja')?.entries).toEqual(complete.get('en')?.entries);
});

/** A Mach-O file with an empty `__TEXT` from its beginning, and `__LINKEDIT` to its end. */
function program(bytes: number): Buffer {
  const file = Buffer.alloc(bytes, 7).fill(0, 0, 4096);
  const segment = (at: number, name: string, { offset, size }: { offset: number; size: number }) => {
    file.writeUInt32LE(0x19, at);
    file.writeUInt32LE(72, at + 4);
    file.write(name, at + 8);
    file.writeBigUInt64LE(BigInt(offset), at + 40);
    file.writeBigUInt64LE(BigInt(size), at + 48);
  };
  file.writeUInt32LE(0xfeedfacf, 0);
  file.writeUInt32LE(2, 16);
  file.writeUInt32LE(144, 20);
  segment(32, '__TEXT', { offset: 0, size: 4096 });
  segment(104, '__LINKEDIT', { offset: 4096, size: bytes - 4096 });
  return file;
}

test('a signed Mach-O file ends with a code directory that has the hash of each page', () => {
  const signed = signAdHoc(program(10_001));
  expect([signed.readUInt32LE(16), signed.readUInt32LE(20), signed.readUInt32LE(176)]).toEqual([3, 160, 0x1d]);
  const [offset, size] = [signed.readUInt32LE(184), signed.readUInt32LE(188)];
  expect([offset % 16, offset + size]).toEqual([0, signed.length]);
  expect(Number(signed.readBigUInt64LE(104 + 40) + signed.readBigUInt64LE(104 + 48))).toBe(signed.length);
  const directory = signed.subarray(offset + signed.readUInt32BE(offset + 16));
  expect([directory.readUInt32BE(0), directory.readUInt32BE(32)]).toEqual([0xfade0c02, offset]);
  const hashes = directory.subarray(directory.readUInt32BE(16));
  const pages = Array.from({ length: 3 }, (_, page) =>
    signed.subarray(page * 4096, Math.min((page + 1) * 4096, offset)),
  );
  expect(hashes).toEqual(Buffer.concat(pages.map((page) => createHash('sha256').update(page).digest())));
});

test('a file that is signed, or is no Mach-O file, is refused', () => {
  expect(() => signAdHoc(signAdHoc(program(9000)))).toThrow('has a signature');
  expect(() => signAdHoc(Buffer.alloc(9000))).toThrow('not a Mach-O');
});
