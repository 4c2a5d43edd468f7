import * as z from 'zod/mini';
import { endpoint, ownId } from '../../contract/endpoint.ts';
import { reported } from '../../contract/fields/fields.ts';

/** ISO 8601, UTC. */
const time = z.string();

export const readPush = endpoint({
  route: 'GET /account/push',
  summary: 'List the browsers that show notices although no page is open',
  auth: 'bearer',
  status: 200,
  response: z.object({
    /** Null if web push is off. */
    key: z.nullable(z.string()),
    browsers: z.array(z.object({ id: z.string(), device: z.string(), created_at: time, seen_at: time })),
  }),
});

/** Browsers renew it at each visit, because push services end subscriptions without notice. */
export const keepPush = endpoint({
  route: 'PUT /account/push',
  summary: 'Send notices to the browser that sends the request',
  auth: 'bearer',
  body: z.object({ endpoint: reported(1000), p256dh: reported(100), auth: reported(100) }),
  status: 200,
  response: z.object({ id: z.string() }),
  failures: ['too_many_requests'],
  fieldCodes: ['not_understood'],
});

export const forgetPush = endpoint({
  route: 'DELETE /account/push/:id',
  summary: 'Send no more notices to a browser',
  auth: 'bearer',
  params: z.object({ id: ownId }),
  status: 204,
  failures: ['not_found'],
});
