import type { FastifyInstance } from 'fastify';
import * as contract from '../../contract/service/jwks.ts';
import type { Service } from '../../server/service.ts';
import { mountOn } from '../mount.ts';

/** Publishes the public keys that verify access tokens, as a JSON Web Key Set (JWKS; RFC 7517, section 5). */
export function jwksRoute(app: FastifyInstance, service: Service): void {
  const mount = mountOn(app, service);
  const { keyring } = service;

  mount(contract.publicKeys, ({ reply }) => {
    // Long enough to save requests, short enough that clients know a new key well before it signs.
    reply.header('cache-control', 'public, max-age=300');
    // Apps in browsers verify ID tokens themselves.
    reply.header('access-control-allow-origin', '*');
    return keyring.jwks;
  });
}
