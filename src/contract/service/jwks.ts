import * as z from 'zod/mini';
import { endpoint } from '../endpoint.ts';

/** The JWKS document (RFC 7517), with which other services verify access tokens. */
export const publicKeys = endpoint({
  method: 'GET',
  path: '/.well-known/jwks.json',
  summary: 'Get the public keys of access tokens and ID tokens',
  status: 200,
  response: z.object({
    keys: z.array(
      z.union([
        z.object({
          kty: z.literal('EC'),
          crv: z.string(),
          x: z.string(),
          y: z.string(),
          kid: z.string(),
          use: z.literal('sig'),
          alg: z.literal('ES256'),
        }),
        z.object({
          kty: z.literal('RSA'),
          n: z.string(),
          e: z.string(),
          kid: z.string(),
          use: z.literal('sig'),
          alg: z.literal('RS256'),
        }),
      ]),
    ),
  }),
});
