import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Service } from '../../server/service.ts';

/** Path below which the service serves what `npm run agents` published. */
export const agentsPath = '/computers/agents/';

/** Executables, and what verifies them. */
const published = /^(?:vestibule-agent-\w+-\w+(?:\.exe)?|vestibule-agent\.mjs|SHA256SUMS(?:\.sig)?|key\.pem)$/;

const folderOf = ({ config }: Pick<Service, 'config'>) => join(config.DATA_DIR, 'agents');

/** Whether there are executables of the agent; otherwise computers need Node. */
export const hasExecutables = (service: Pick<Service, 'config'>): boolean =>
  existsSync(join(folderOf(service), 'SHA256SUMS'));

interface Download {
  readonly bytes: number;
  readonly encoding: 'gzip' | undefined;
  read(): NodeJS.ReadableStream;
}

/** A published file, compressed if the client accepts that and the file is large; undefined if there is none. */
export async function findDownload(
  service: Pick<Service, 'config'>,
  { name, acceptsGzip }: { name: string; acceptsGzip: boolean },
): Promise<Download | undefined> {
  if (!published.test(name)) return undefined;
  const file = join(folderOf(service), name);
  for (const encoding of [...(acceptsGzip ? (['gzip'] as const) : []), undefined]) {
    const path = encoding ? `${file}.gz` : file;
    const found = await stat(path).catch(() => undefined);
    if (found) return { bytes: found.size, encoding, read: () => createReadStream(path) };
  }
  return undefined;
}

/** The percent of a computer, which is the same for each update. */
const percentOf = (computer: string): number => createHash('sha256').update(computer).digest().readUInt32BE() % 100;

/**
 * The signed list of the newest agents, for a computer in the share that the operator chose; null for the others. The key
 * is for every computer, which keeps it when it is added.
 */
export async function offeredUpdate(service: Pick<Service, 'config'>, computer: string) {
  const read = (name: string) => readFile(join(folderOf(service), name), 'utf8').catch(() => null);
  const [key, sums, signature, share] = await Promise.all(
    ['key.pem', 'SHA256SUMS', 'SHA256SUMS.sig', 'share'].map(read),
  );
  const isOffered = percentOf(computer) < Number(share ?? 0);
  return { key: key ?? null, sums: (isOffered && sums) || null, signature: (isOffered && signature) || null };
}
