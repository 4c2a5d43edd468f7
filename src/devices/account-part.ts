import { sql } from 'kysely';
import type * as z from 'zod/mini';
import type { AccountPart, PartialShutOut } from '../access/account-part.ts';
import { days, iso, isoOrNull } from '../contract/units.ts';
import { type Outdated, rowsBefore } from '../store/clean-up.ts';
import { firstIdOf, type Store, type StoreTransaction } from '../store/database.ts';
import { partitionable } from '../store/partitions.ts';
import { recordRemovedComputers } from '../store/webhooks/record-event.ts';
import { defaultAlarmRules } from './contract/alarm-rules.ts';
import { exportedDevices } from './contract/export.ts';
import { channelsOf, endChannelsSince } from './store/alarm-messages.ts';
import { alarmPlanOf, forgetAlarmPlan } from './store/alarm-plans.ts';
import { computersOf, countComputers, enrolments, removeComputersOf, removeComputersSince } from './store/computers.ts';
import { enrolmentKeysOf, revokeEnrolmentKeys } from './store/enrolment-keys.ts';
import { membersOf } from './store/incident-members.ts';
import { countOpenIncidents, incidentsOf } from './store/incidents.ts';
import { countUnread, notificationsOf } from './store/notifications.ts';
import { forgetExpiredSubscriptions, pushSubscriptionsOf } from './store/push-subscriptions.ts';
import { readReadings } from './store/readings.ts';
import { dayOf, recordsOf } from './store/records.ts';
import { telegramLinks } from './store/telegram-links.ts';

/** What an account has of devices. */
export const devicesOfAccount: AccountPart = {
  shutOut: endDevices,
  exports: { shape: exportedDevices, read: exportDevices },
  describe: describeDevices,
  happened: async (store, page) =>
    (await notificationsOf(store, page)).map(({ id, at, kind, name, ended_at }) => ({
      ...{ id, at, code: kind, outcome: ended_at === null ? name : `${name}, until ${iso(ended_at)}` },
      params: { words: name, ...(ended_at !== null && { until: iso(ended_at) }) },
    })),
  startPage: async (store, accountId) =>
    (await countComputers(store, accountId)) > 0 ? '/dashboard/' : '/computers/add/',
  countNews: async (store, accountId) => ({
    unread: await countUnread(store, accountId),
    alarms: await countOpenIncidents(store, accountId),
  }),
  outdated: ({ now, config }) => outdatedOfDevices({ now, recordsKept: days(config.RECORDS_RETENTION_DAYS) }),
};

async function endDevices(trx: StoreTransaction, { accountId, ends, since, at }: PartialShutOut): Promise<number> {
  if (ends.enrolments) {
    await enrolments.void(trx, accountId, at);
    await revokeEnrolmentKeys(trx, { accountId, at });
    await telegramLinks.void(trx, accountId);
  }
  if (ends.entries) await forgetAlarmPlan(trx, accountId);
  if (ends.computers !== 'none')
    await endChannelsSince(trx, { accountId, since: ends.computers === 'all' ? 0 : since });
  if (ends.sessions !== 'none') await forgetExpiredSubscriptions(trx, accountId, at);
  if (ends.computers === 'none') return 0;
  const ids =
    ends.computers === 'all'
      ? await removeComputersOf(trx, accountId)
      : await removeComputersSince(trx, { accountId, since, at });
  await recordRemovedComputers(trx, { accountId, ids, at });
  return ids.length;
}

interface Kept {
  readonly now: number;
  /** How long records of computers are kept, in milliseconds. */
  readonly recordsKept: number;
}

/** Outdated rows by table, with how long each is kept after its end. */
export const outdatedOfDevices = ({ now, recordsKept }: Kept): readonly Outdated[] => [
  { table: 'enrolments', by: 'created_at', when: sql`created_at < ${now - days(7)}` },
  { table: 'enrolment_keys', by: 'expires_at', when: sql`expires_at < ${now - days(30)}` },
  rowsBefore(now - days(90), partitionable.notifications),
  { table: 'telegram_links', by: 'created_at', when: sql`created_at < ${now - days(1)}` },
  { table: 'push_subscriptions', by: 'seen_at', when: sql`seen_at < ${now - days(400)}` },
  { table: 'incidents', by: 'id', when: sql`id < ${firstIdOf(now - days(90))} and due_at is null` },
  { table: 'alarm_messages', by: 'id', when: sql`id < ${firstIdOf(now - days(90))}` },
  { table: 'record_counts', by: 'day', when: sql`day < ${dayOf(now - days(1))}` },
  rowsBefore(now - recordsKept, partitionable.records),
];

/** Stored warnings: their kinds, separated by spaces. */
const listOf = (warnings: string): string[] => warnings.split(' ').filter(Boolean);

async function describeDevices(store: Store, accountId: string) {
  const computers = await computersOf(store, accountId);
  return {
    computers: computers.map(({ id, name, platform, created_at, last_seen_at, warnings }) => ({
      id,
      name,
      platform,
      created_at: iso(created_at),
      last_seen_at: iso(last_seen_at),
      warnings: listOf(warnings),
    })),
  };
}

/** `recordsOf` returns more, page by page: all records together would need too much memory. */
const maxRecords = 10_000;

type ExportedDevices = { readonly [Name in keyof typeof exportedDevices]: z.output<(typeof exportedDevices)[Name]> };

async function exportDevices(store: Store, accountId: string): Promise<ExportedDevices> {
  const own = 'account_id';
  const records = await recordsOf(store, { accountId, limit: maxRecords });
  const notifications = store.selectFrom('notifications').selectAll().where(own, '=', accountId).orderBy('id');
  const { rules, pauses, quiet } = await alarmPlanOf(store, accountId);
  return {
    computers: (await computersOf(store, accountId)).map(
      ({ id, name, kind, tags, platform, version, created_at, last_seen_at, warnings, readings, muted_until }) => ({
        id,
        name,
        kind,
        tags: JSON.parse(tags) as string[],
        platform,
        version,
        created_at: iso(created_at),
        last_seen_at: iso(last_seen_at),
        warnings: listOf(warnings),
        readings: readReadings(readings, last_seen_at).readings,
        muted_until: isoOrNull(muted_until === 0 ? null : muted_until),
      }),
    ),
    records: records.reverse().map(({ computer_id, at, kind, text }) => ({
      computer: computer_id,
      at: iso(at),
      kind,
      text,
    })),
    push_subscriptions: (await pushSubscriptionsOf(store, accountId)).map(({ browser, created_at, seen_at }) => ({
      browser,
      created_at: iso(created_at),
      seen_at: iso(seen_at),
    })),
    notifications: (await notifications.execute()).map(({ at, kind, name, read_at }) => ({
      at: iso(at),
      kind,
      name,
      read_at: isoOrNull(read_at),
    })),
    enrolment_keys: (await enrolmentKeysOf(store, accountId)).map((key) => ({
      name: key.name,
      tags: JSON.parse(key.tags) as string[],
      networks: JSON.parse(key.networks) as string[],
      max_uses: key.max_uses,
      uses: key.uses,
      created_at: iso(key.created_at),
      expires_at: iso(key.expires_at),
      last_used_at: isoOrNull(key.last_used_at),
      revoked_at: isoOrNull(key.revoked_at),
    })),
    alarm_plans:
      rules === defaultAlarmRules && pauses.length === 0 && quiet === null
        ? null
        : {
            rules: [...rules],
            pauses: pauses.map(({ id: _, ...pause }) => ({ days_off: [], ...pause })),
            quiet_hours: quiet,
          },
    incidents: await exportIncidents(store, accountId),
    alarm_messages: (
      await store.selectFrom('alarm_messages').selectAll().where(own, '=', accountId).orderBy('id').execute()
    ).map(({ incident_id, created_at, channel, event, recipient, answer, sent_at, last_error }) => ({
      incident: incident_id,
      at: iso(created_at),
      ...{ channel, event, recipient, answer },
      sent_at: isoOrNull(sent_at),
      error: last_error,
    })),
    alarm_channels: (await channelsOf(store, accountId)).map(({ channel, after_minutes, target, broken }) => ({
      ...{ channel, after_minutes, broken },
      target: placeOf(target),
    })),
  };
}

/** Where a channel leads, without the secret that signs its messages. */
function placeOf(target: string): string {
  if (!target.startsWith('{')) return target;
  const { secret: _, ...place } = JSON.parse(target) as Record<string, unknown>;
  return JSON.stringify(place);
}

const maxIncidents = 1000;
const maxMembers = 1000;

async function exportIncidents(store: Store, accountId: string): Promise<ExportedDevices['incidents']> {
  const exported: ExportedDevices['incidents'] = [];
  for (const incident of await incidentsOf(store, { accountId, limit: maxIncidents })) {
    const { id, kind, note, began_at, ended_at, acknowledged_at, seen_at } = incident;
    const members = await membersOf(store, { incidentId: id, limit: maxMembers });
    exported.push({
      ...{ id, kind, note },
      began_at: iso(began_at),
      ended_at: isoOrNull(ended_at),
      acknowledged_at: isoOrNull(acknowledged_at),
      seen_at: isoOrNull(seen_at),
      devices: members.map(({ computer_id, name, address, since, back_at, end_value }) => ({
        ...{ computer: computer_id, name, network: address, end_value },
        since: iso(since),
        back_at: isoOrNull(back_at),
      })),
    });
  }
  return exported.reverse();
}
