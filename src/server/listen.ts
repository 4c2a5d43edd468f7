import type { FastifyInstance } from 'fastify';
import { SettingsError } from '../contract/settings-error.ts';
import type { Config } from './config.ts';

/** Listens where the settings say, or names the one that is wrong. */
export async function listen(app: FastifyInstance, { HOST, PORT }: Pick<Config, 'HOST' | 'PORT'>): Promise<void> {
  await app.listen({ host: HOST, port: PORT }).catch((cause: NodeJS.ErrnoException) => {
    const says = problems[cause.code ?? '']?.(HOST, PORT);
    throw says === undefined ? cause : new SettingsError(says, { cause });
  });
}

const noAddress = (host: string) => `HOST: ${host} is no address of this machine`;

const problems: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) => `PORT: somebody else listens at ${host}:${port} already`,
  EACCES: (_host, port) => `PORT: this user may not listen at ${port}; take one from 1024 on, and a proxy in front`,
  EADDRNOTAVAIL: noAddress,
  ENOTFOUND: noAddress,
  EAI_AGAIN: noAddress,
};
