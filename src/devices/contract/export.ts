import * as z from 'zod/mini';
import { named } from '../../contract/endpoint.ts';
import { pauseDetails } from './pauses.ts';
import { readings } from './readings.ts';
import { deviceKinds, eachWarning } from './record-kinds.ts';

const text = z.string();
/** ISO 8601, UTC. */
const time = z.string();
const timeOrNull = z.nullable(time);

const alarmRules = {
  /** Null: no alarm about silence. */
  silent_after_minutes: z.nullable(z.number()),
  ...eachWarning(() => z.boolean()),
};

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
    }),
  ),
  /** The newest 10,000 records of all computers, oldest first; `GET /computers/records` returns the rest. */
  records: z.array(z.object({ computer: text, at: time, kind: text, text })),
  /** Browsers that show notices of the account although no page is open. */
  push_subscriptions: z.array(z.object({ browser: text, created_at: time, seen_at: time })),
  notifications: z.array(z.object({ at: time, kind: text, name: text, read_at: timeOrNull })),
  /** Null: the account has the default rules. */
  alarm_rules: z.nullable(
    z.object({
      ...alarmRules,
      by_email: z.boolean(),
      /** Minutes since midnight. */
      quiet_from: z.nullable(z.number()),
      quiet_until: z.nullable(z.number()),
    }),
  ),
  /** What differs for single computers. */
  alarm_overrides: z.array(
    z.object({
      computer: text,
      /** Null: the rules of the account apply. */
      rules: z.nullable(named('AlarmRules', z.object(alarmRules))),
      muted_until: timeOrNull,
    }),
  ),
  /** Keys that add computers, without their secret. */
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
        z.object({ computer: text, name: text, network: z.nullable(text), since: time, back_at: timeOrNull }),
      ),
    }),
  ),
  /** Messages about incidents, and tests. */
  alarm_messages: z.array(
    z.object({
      incident: z.nullable(text),
      at: time,
      channel: text,
      event: text,
      recipient: text,
      sent_at: timeOrNull,
      error: z.nullable(text),
    }),
  ),
  /** Channels besides email. */
  alarm_channels: z.array(z.object({ channel: text, after_minutes: z.number(), broken: z.nullable(text) })),
  /** Rules for the computers with a tag. */
  /** Times without alarms. */
  alarm_plans: z.nullable(z.object({ pauses: z.array(pauseDetails) })),
  alarm_tag_rules: z.array(z.object({ tag: text, ...alarmRules })),
};
