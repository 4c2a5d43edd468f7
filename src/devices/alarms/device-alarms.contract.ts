import * as z from 'zod/mini';
import { endpoint, named, ownId, type ResponseBody } from '../../contract/endpoint.ts';
import { missing } from '../../contract/fields/fields.ts';
import { alarmRule } from '../contract/alarm-rules.ts';
import { deviceKinds } from '../contract/record-kinds.ts';

/** A year. */
const longestMute = 365 * 24 * 60;
export const furtherNotice = 'until_further_notice';

export const computerAlarms = named(
  'ComputerAlarms',
  z.object({
    id: z.string(),
    name: z.string(),
    tags: z.array(z.string()),
    kind: z.enum(deviceKinds),
    muted: z.boolean(),
    muted_until: z.nullable(z.string()),
  }),
);

export type ComputerAlarms = ResponseBody<typeof changeComputerAlarms>;

export const readComputerAlarms = endpoint({
  route: 'GET /computers/:id/alarms',
  summary: 'Read which alarm rules decide for a computer, and whether it is muted',
  auth: 'bearer',
  params: z.object({ id: ownId }),
  status: 200,
  response: z.object({ rules: z.array(alarmRule), computer: computerAlarms }),
  failures: ['not_found'],
});

export const changeComputerAlarms = endpoint({
  route: 'PUT /computers/:id/alarms',
  summary: 'Mute a computer',
  auth: 'bearer',
  params: z.object({ id: ownId }),
  body: z.object({
    mute: z.nullable(
      z.union(
        [
          z.literal(furtherNotice, { error: 'not_understood' }),
          z.number({ error: missing }).check(
            z.refine((count) => Number.isInteger(count) && count >= 1 && count <= longestMute, {
              error: 'not_understood',
            }),
          ),
        ],
        { error: missing },
      ),
    ),
  }),
  status: 200,
  response: computerAlarms,
  failures: ['not_found', 'too_many_requests'],
});
