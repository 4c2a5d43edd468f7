import * as z from 'zod/mini';
import { endpoint } from '../endpoint.ts';

export const latestBuild = endpoint({
  method: 'GET',
  path: '/builds/latest.json',
  summary: 'Get the id of the current build',
  status: 200,
  response: z.object({ id: z.string() }),
});

export const buildManifest = endpoint({
  method: 'GET',
  path: '/builds/meta/:build.json',
  summary: 'Describe a build',
  params: z.object({ build: z.catch(z.string(), '') }),
  status: 200,
  response: z.object({
    id: z.string(),
    /** Milliseconds since 1970. */
    timestamp: z.number(),
  }),
  failures: ['not_found'],
});

/** Everything a page needs besides its code. `page` is, for example, `de/register`. */
export const pagePayload = endpoint({
  method: 'GET',
  path: '/:page/_payload.json',
  summary: 'Get the texts, head and styles of a page',
  params: z.object({ page: z.catch(z.string(), '') }),
  status: 200,
  response: z.looseObject({ language: z.string(), page: z.string(), messages: z.record(z.string(), z.unknown()) }),
  failures: ['not_found'],
});
