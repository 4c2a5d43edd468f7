import * as z from 'zod/mini';
import { alarmRule } from './alarm-rules.ts';
import { pauseDetails, quietHours } from './pauses.ts';
import { readings } from './readings.ts';
import { deviceKinds } from './record-kinds.ts';

const text = z.string();
/** ISO 8601, UTC. */
const time = z.string();
const timeOrNull = z.nullable(time);

/** What the export of an account says about its devices. */
export const exportedDevices = {
  computers: z.array(
    z.object({
      id: text,
      name: text,
      kind: z.enum(deviceKinds),
      tags: z.array(text),
      platform: text,
      version: z.nullable(text),
      created_at: time,
      last_seen_at: time,
      warnings: z.array(text),
      readings: z.nullable(readings),
      /** Null: it is not muted. */
      muted_until: timeOrNull,
    }),
  ),
  /** The newest 10,000 records of all computers, oldest first; `GET /computers/records` returns the rest. */
  records: z.array(z.object({ computer: text, at: time, kind: text, text })),
  push_subscriptions: z.array(z.object({ browser: text, created_at: time, seen_at: time })),
  notifications: z.array(z.object({ at: time, kind: text, name: text, read_at: timeOrNull })),
  enrolment_keys: z.array(
    z.object({
      name: text,
      tags: z.array(text),
      networks: z.array(text),
      max_uses: z.number(),
      uses: z.number(),
      created_at: time,
      expires_at: time,
      last_used_at: timeOrNull,
      revoked_at: timeOrNull,
    }),
  ),
  incidents: z.array(
    z.object({
      id: text,
      kind: text,
      began_at: time,
      ended_at: timeOrNull,
      acknowledged_at: timeOrNull,
      seen_at: timeOrNull,
      note: text,
      /** The first 1,000 devices of each. */
      devices: z.array(
        z.object({
          computer: text,
          name: text,
          network: z.nullable(text),
          since: time,
          back_at: timeOrNull,
          end_value: z.nullable(z.number()),
        }),
      ),
    }),
  ),
  alarm_messages: z.array(
    z.object({
      incident: z.nullable(text),
      at: time,
      channel: text,
      event: text,
      recipient: text,
      answer: z.nullable(text),
      sent_at: timeOrNull,
      error: z.nullable(text),
    }),
  ),
  alarm_channels: z.array(
    z.object({ channel: text, after_minutes: z.number(), target: text, broken: z.nullable(text) }),
  ),
  alarm_plans: z.nullable(
    z.object({
      rules: z.array(alarmRule),
      pauses: z.array(pauseDetails),
      quiet_hours: z.nullable(quietHours),
    }),
  ),
};
