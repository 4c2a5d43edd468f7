import type { FastifyInstance } from 'fastify';
import { type BounceListener, listenForBounces } from '../outbox/bounces/bounce-listener.ts';
import { readReturnToken } from '../security/return-tokens.ts';
import type { Service } from './service.ts';

/** Accepts bounces from the local mail server while the service accepts requests. */
export function receiveBounces(app: FastifyInstance, { config, keyring, store, bounces }: Service): void {
  const { BOUNCE_ADDRESS: address, BOUNCE_LISTEN: at } = config;
  if (!at || !address) return;
  let listener: BounceListener | undefined;
  app.addHook('onReady', async () => {
    const emailIdOf = (token: string) => readReturnToken(keyring.returnTokens, token);
    listener = await listenForBounces({ ...at, address, store, emailIdOf, returns: bounces, log: app.log });
  });
  app.addHook('onClose', () => listener?.close());
}
