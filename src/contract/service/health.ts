import * as z from 'zod/mini';
import { endpoint } from '../endpoint.ts';

export const alive = endpoint({
  method: 'GET',
  path: '/healthz',
  summary: 'Report that the process is alive',
  status: 200,
  response: z.object({ status: z.literal('alive') }),
});

export const ready = endpoint({
  method: 'GET',
  path: '/readyz',
  summary: 'Report whether the database and the outbox worker are usable',
  status: 200,
  response: z.object({ status: z.literal('ready') }),
});
