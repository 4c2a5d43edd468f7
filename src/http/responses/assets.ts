import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { Failure } from '../../contract/failures.ts';
import { days } from '../../contract/units.ts';
import { shareCopies } from '../../runtime/shared-copies.ts';
import { openNegotiation } from './negotiation.ts';
import { assetPrefix } from './security-headers.ts';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};
const suffixes = { br: '.br', gzip: '.gz' } as const;

/**
 * Serves the hashed assets in these folders; the first folder that has a name counts. All responses share the bytes of a
 * file, which the build has compressed.
 */
export function serveAssets(app: FastifyInstance, folders: readonly string[]): void {
  const { wantedCoding } = openNegotiation();
  // Synchronous on purpose: the operating system has the file in memory, and hashes occupy the thread pool in a flood.
  const read = shareCopies((file: string) => readFileSync(file));
  const files = new Map<string, string>();
  for (const folder of folders)
    for (const name of namesIn(folder)) if (!files.has(name)) files.set(name, join(folder, name));

  app.get<{ Params: { '*': string } }>(`${assetPrefix}*`, (request, reply) => {
    const name = request.params['*'];
    const type = types[extname(name)];
    const file = files.get(name);
    if (!file || !type) throw new Failure('not_found');
    const coding = wantedCoding(request);
    const compressed = coding && files.get(name + suffixes[coding]);
    reply.type(type).header('vary', 'Accept-Encoding');
    reply.header('cache-control', `public, max-age=${days(365) / 1000}, immutable`);
    return compressed ? reply.header('content-encoding', coding).send(read(compressed)) : reply.send(read(file));
  });
}

/** The files in a folder. A process that started meanwhile may have deleted the assets of an older build. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
