import type { FastifyInstance } from 'fastify';
import { type BounceListener, listenForBounces } from '../outbox/bounces/bounce-listener.ts';
import { readReturnToken } from '../security/return-tokens.ts';
import type { Service } from './service.ts';

/** Takes what comes back from the mail server of this machine, as long as the service takes requests. */
export function receiveBounces(app: FastifyInstance, { config, keyring, store, bounces }: Service): void {
  const { BOUNCE_ADDRESS: address, BOUNCE_LISTEN: at } = config;
  if (!at || !address) return;
  let listener: BounceListener | undefined;
  app.addHook('onReady', async () => {
    const letterOf = (token: string) => readReturnToken(keyring.returnTokens, token);
    listener = await listenForBounces({ ...at, address, store, emailIdOf: letterOf, returns: bounces, log: app.log });
  });
  app.addHook('onClose', () => listener?.close());
}
