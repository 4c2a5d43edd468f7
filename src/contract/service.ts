import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';

export const latestBuild = endpoint({
  route: 'GET /builds/latest.json',
  summary: 'Get the id of the current build',
  response: z.object({ id: z.string() }),
});

export const buildManifest = endpoint({
  route: 'GET /builds/meta/:build.json',
  summary: 'Describe a build',
  params: z.object({ build: z.catch(z.string(), '') }),
  response: z.object({
    id: z.string(),
    timestamp: z.number(),
  }),
  failures: ['not_found'],
});

export const alive = endpoint({
  route: 'GET /healthz',
  summary: 'Report that the process is alive',
  response: z.object({ status: z.literal('alive') }),
});

export const ready = endpoint({
  route: 'GET /readyz',
  summary: 'Report whether the database and the outbox worker are usable',
  response: z.object({ status: z.literal('ready') }),
});

/** The JWKS document (RFC 7517), with which other services verify access tokens. */
export const publicKeys = endpoint({
  route: 'GET /.well-known/jwks.json',
  summary: 'Get the public keys of access tokens and ID tokens',
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

export const describeApi = endpoint({
  route: 'GET /openapi.json',
  summary: 'Get the OpenAPI 3.1 document',
  response: z.looseObject({ openapi: z.literal('3.1.0') }),
});

export const describeManagementApi = endpoint({
  route: 'GET /operators/openapi.json',
  summary: 'Get the OpenAPI 3.1 document',
  response: z.looseObject({ openapi: z.literal('3.1.0') }),
});

/** W3C, A Well-Known URL for Changing Passwords. */
export const changePassword = endpoint({
  route: 'GET /.well-known/change-password',
  summary: 'Redirect to the page that sets a new password',
  status: 302,
});

/** WebAuthn Level 3, section 5.11: other origins that may use the passkeys of this domain. */
export const relatedOrigins = endpoint({
  route: 'GET /.well-known/webauthn',
  summary: 'List the origins that may use passkeys of this domain',
  response: z.object({ origins: z.array(z.string()) }),
});
