import { once } from 'node:events';
import { createServer } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { SettingsError } from '../../contract/settings-error.ts';
import type { Config } from '../settings/config.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment with a free port instead of `PORT=0`: links and cookies need the number before the service listens.
 */
export async function choosePort(environment: Environment): Promise<Environment> {
  if (environment.PORT?.trim() !== '0') return environment;
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return { ...environment, PORT: String(port) };
}

/** Listens at HOST and PORT; throws a `SettingsError` that names the invalid one. */
export async function listen(app: FastifyInstance, { HOST, PORT }: Pick<Config, 'HOST' | 'PORT'>): Promise<void> {
  await app.listen({ host: HOST, port: PORT }).catch((cause: NodeJS.ErrnoException) => {
    const says = problems[cause.code ?? '']?.(HOST, PORT);
    throw says === undefined ? cause : new SettingsError(says, { cause });
  });
}

const noAddress = (host: string) => `HOST: ${host} is not an address of this machine`;

const problems: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) => `PORT: another process already listens at ${host}:${port}`,
  EACCES: (_host, port) => `PORT: this user may not listen at port ${port}; use a port above 1023 behind a proxy`,
  EADDRNOTAVAIL: noAddress,
  ENOTFOUND: noAddress,
  EAI_AGAIN: noAddress,
};
