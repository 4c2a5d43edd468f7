import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { inProject, root } from './places.mjs';

const sources = ['src', 'build', 'bin/agent', 'bin/steps', 'bin/budget.mjs', 'vite.config.ts', 'package-lock.json'];
const products = ['dist/messages', 'dist/agent', 'dist/client', 'dist/prerender', 'dist/gallery', 'dist/server'];
const stampFile = inProject('dist', 'stamp');

/** Tests do not affect the build, and `ids.ts` contains only a type that the build generates from en.po. */
const isSource = (/** @type {string} */ path) =>
  !/\.test\.tsx?$|[\\/]src[\\/]testing[\\/]|[\\/]src[\\/]messages[\\/]ids\.ts$/.test(path);

/** @returns {string[]} */
function filesIn(/** @type {string} */ path) {
  if (!existsSync(path)) return [];
  try {
    return readdirSync(path, { withFileTypes: true })
      .sort((one, other) => (one.name < other.name ? -1 : 1))
      .flatMap((entry) => (entry.isDirectory() ? filesIn(join(path, entry.name)) : [join(path, entry.name)]));
  } catch {
    return [path];
  }
}

/** A digest of everything that the build reads: content only, because a checkout changes times. */
export function stampOfSources() {
  const digest = createHash('sha256');
  for (const path of sources.flatMap((source) => filesIn(inProject(source))).filter(isSource)) {
    digest.update(relative(root, path).split(sep).join('/')).update('\0').update(readFileSync(path)).update('\0');
  }
  return digest.digest('hex');
}

/** Whether the last build is complete and was made from these sources. */
export const isBuilt = (/** @type {string} */ stamp) =>
  products.every((product) => existsSync(inProject(product))) &&
  existsSync(stampFile) &&
  readFileSync(stampFile, 'utf8') === stamp;

/** Marks the build as incomplete. */
export const forgetBuild = () => rmSync(stampFile, { force: true });

export const rememberBuild = (/** @type {string} */ stamp) => writeFileSync(stampFile, stamp);
