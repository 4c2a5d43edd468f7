import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** Writes a `.br` and a `.gz` for each asset, so that the server never compresses assets. */
export async function compressAssets(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    const content = await readFile(file);
    await writeFile(`${file}.br`, await brotli(content));
    await writeFile(`${file}.gz`, await zip(content, { level: 9 }));
  }
}

/** Writes the size of each asset, so that the server refuses to start with a truncated one. */
export async function writeAssetSizes(client: string): Promise<void> {
  const folder = join(client, 'assets');
  const sizes = (await readdir(folder)).sort().map(async (name) => [name, (await stat(join(folder, name))).size]);
  await writeFile(
    join(client, 'asset-sizes.json'),
    `${JSON.stringify(Object.fromEntries(await Promise.all(sizes)))}\n`,
  );
}

/** Derives the build id from the content: equal sources have equal ids on every machine. */
export async function writeBuildId(dist: string): Promise<void> {
  const hash = createHash('sha256');
  // The names of client assets contain their hashes; the prerenderer contains all texts.
  for (const name of (await readdir(join(dist, 'client', 'assets'))).sort()) hash.update(name);
  hash.update(await readFile(join(dist, 'prerender', 'prerender.js')));
  const build = { id: hash.digest('hex').slice(0, 12), timestamp: Date.now(), commit: commitOf() };
  await writeFile(join(dist, 'client', 'build.json'), `${JSON.stringify(build)}\n`);
}

/** The commit of the sources, with `-dirty` if they differ from it; `COMMIT` where there is no git, as in a container. */
function commitOf(): string {
  const { status, stdout } = spawnSync('git', ['describe', '--always', '--dirty', '--exclude=*', '--abbrev=12'], {
    encoding: 'utf8',
  });
  return status === 0 ? stdout.trim() : (process.env.COMMIT ?? '');
}
