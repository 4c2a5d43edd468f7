import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What runs: for the log, the metrics, `doctor` and `vestibule --version`. */
export interface Version {
  readonly version: string;
  /** The commit that was built; empty if git did not know it. */
  readonly commit: string;
  /** The id of the build; empty when the sources run. */
  readonly build: string;
}

const project = join(import.meta.dirname, '..', '..');

const read = (...path: string[]) => {
  const file = join(project, ...path);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
};

export function readVersion(): Version {
  const { id = '', commit = '' } = read('dist', 'client', 'build.json');
  return { version: read('package.json').version ?? '', commit, build: id };
}

/** Such as `Vestibule 0.1.0 (commit 3f2a…, build 9c1b…)`. */
export function describeVersion({ version, commit, build }: Version): string {
  const details = [commit && `commit ${commit}`, build && `build ${build}`].filter(Boolean).join(', ');
  return `Vestibule ${version}${details && ` (${details})`}`;
}
