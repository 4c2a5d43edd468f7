import { join } from 'node:path';
import { isBuilt, stampOfSources } from '../../bin/steps/setup.mjs';

let current: boolean | undefined;

/** Whether the build is current: a developer may have changed the sources since. */
export function isBuildCurrent(): boolean {
  current ??= isBuilt(stampOfSources());
  return current;
}

const source = join(import.meta.dirname, '..');
const sources = { server: join(source, 'server', 'server.ts'), vestibule: join(source, 'cli', 'vestibule.ts') };

/** The program as operators run it; it starts with a quarter of the work. */
export const builtProgram = (name: keyof typeof sources): string => join(source, '..', 'dist', 'server', `${name}.js`);

export const programFromSources = (name: keyof typeof sources): string => sources[name];

/** The build, unless it is older than its sources. */
export const currentProgram = (name: keyof typeof sources): string =>
  isBuildCurrent() ? builtProgram(name) : programFromSources(name);
