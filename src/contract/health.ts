import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';

export const alive = endpoint({
  method: 'GET',
  path: '/healthz',
  summary: 'Report that the process is alive',
  status: 200,
  answer: z.object({ status: z.literal('alive') }),
});

export const ready = endpoint({
  method: 'GET',
  path: '/readyz',
  summary: 'Report whether the database and the outbox work',
  status: 200,
  answer: z.object({ status: z.literal('ready') }),
});

/** The keys that verify access tokens (RFC 7517). */
export const publicKeys = endpoint({
  method: 'GET',
  path: '/.well-known/jwks.json',
  summary: 'List the public keys of access tokens',
  status: 200,
  answer: z.object({
    keys: z.array(
      z.object({
        kty: z.string(),
        crv: z.string(),
        x: z.string(),
        y: z.string(),
        kid: z.string(),
        use: z.literal('sig'),
        alg: z.literal('ES256'),
      }),
    ),
  }),
});

/** W3C, A Well-Known URL for Changing Passwords. */
export const changePassword = endpoint({
  method: 'GET',
  path: '/.well-known/change-password',
  summary: 'Redirect to the page that sets a new password',
  status: 302,
});

export const latestBuild = endpoint({
  method: 'GET',
  path: '/builds/latest.json',
  summary: 'Report the current build',
  status: 200,
  answer: z.object({ id: z.string() }),
});

export const buildManifest = endpoint({
  method: 'GET',
  path: '/builds/meta/:build.json',
  summary: 'Describe a build',
  params: z.object({ build: z.catch(z.string(), '') }),
  status: 200,
  answer: z.object({
    id: z.string(),
    /** Milliseconds since 1970. */
    timestamp: z.number(),
  }),
  failures: ['not_found'],
});

export const describeApi = endpoint({
  method: 'GET',
  path: '/openapi.json',
  summary: 'Describe every request in OpenAPI 3.1',
  status: 200,
  answer: z.looseObject({ openapi: z.literal('3.1.0') }),
});

/** The data of a page besides its code, served with the pages. `page` is for example `de/register`. */
export const pagePayload = endpoint({
  method: 'GET',
  path: '/:page/_payload.json',
  summary: 'Read the texts, the head and the styles of a page',
  params: z.object({ page: z.catch(z.string(), '') }),
  status: 200,
  answer: z.looseObject({ language: z.string(), page: z.string(), messages: z.record(z.string(), z.unknown()) }),
  failures: ['not_found'],
});
