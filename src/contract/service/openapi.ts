import * as z from 'zod/mini';
import { endpoint } from '../endpoint.ts';

export const describeApi = endpoint({
  method: 'GET',
  path: '/openapi.json',
  summary: 'Get the OpenAPI 3.1 document',
  status: 200,
  response: z.looseObject({ openapi: z.literal('3.1.0') }),
});
