import * as z from 'zod/mini';
import { endpoint, ownId } from '../../contract/endpoint.ts';
import { computer, record } from './computers.ts';

/** Not among the contracts of owners: nothing that their pages load names the management API. */
export const seeDevices = endpoint({
  route: 'GET /operators/people/:id/devices',
  summary: 'Read the devices of a person and their newest records, as their dashboard shows them',
  auth: 'operator',
  role: 'support',
  params: z.object({ id: ownId }),
  status: 200,
  response: z.object({ computers: z.array(computer), records: z.array(record) }),
});
