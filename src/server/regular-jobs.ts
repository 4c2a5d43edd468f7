import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { FastifyBaseLogger } from 'fastify';
import { applyDueRemovals } from '../access/second-step-removal.ts';
import { days, hours, minutes, seconds } from '../contract/units.ts';
import { evaluateAlarms } from '../devices/alarms/evaluate-alarms.ts';
import { decideIncidents } from '../devices/alarms/incidents/decide-incidents.ts';
import { deleteDueAccounts } from '../journeys/account/leaving/delete-account.ts';
import { settleRefunds } from '../journeys/confirm-phone/calls/repeated-request.ts';
import { runJobs } from '../operations/jobs.ts';
import { every } from '../runtime/every.ts';
import { storeRegistrationDays } from '../store/accounts/registration-days.ts';
import { indexAllChanges } from '../store/accounts/search-keys.ts';
import { cleanUp } from '../store/clean-up.ts';
import { shortenAuditLog } from '../store/operators/audit-log.ts';
import { forgetNode, markNodeSeen } from '../store/operators/nodes.ts';
import { databaseFile, emptyLog } from '../store/sqlite/files.ts';
import { backUpIfDue, newestBackup } from './backups.ts';
import type { Service } from './service.ts';
import { readVersion } from './version.ts';

/** When regular jobs last did their work, in milliseconds since the epoch. */
export type RegularJobs = ReturnType<typeof startRegularJobs>;

interface JobOptions extends Pick<Service, 'store' | 'now' | 'config' | 'parts'> {
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
}

/**
 * Starts the jobs of a node that is not only a command. Three more regular jobs belong to what they keep up to date: the
 * keyring, the clock, and the check of promoted database servers.
 */
export function startRegularJobs(service: Service, log: JobOptions['log']) {
  const { config } = service;
  let isUnreachable = false;

  async function evaluateAllAlarms(): Promise<void> {
    const before = isUnreachable;
    const { reported, ...evaluated } = await evaluateAlarms(service);
    ({ isUnreachable } = evaluated);
    if (reported > 0) service.counters.count('devices', 'alarms', reported);
    // Own outages are nobody's incident, and end none.
    if (!isUnreachable) await decideIncidents(service);
    if (isUnreachable && !before) log.warn('no computer reaches the service, so alarms wait until one does');
  }

  const node = { id: randomUUID(), name: hostname(), version: readVersion().version, started_at: service.now() };
  const report = () => markNodeSeen(service.store, { ...node, seen_at: service.now() });

  const workForOperators = () =>
    runJobs(service, (error) => log.error({ err: error }, 'an act for many people failed for one of them')).finally(
      service.outbox.wake,
    );

  const cleaning = startCleanUp({ ...service, log });
  const jobs = [
    cleaning,
    every(minutes(1), { name: 'deletion of due accounts', log }, () => deleteDueAccounts(service)),
    // While the second step is off, owners have no page on which to stop a removal.
    ...(config.SECOND_STEP === 'off'
      ? []
      : [every(minutes(1), { name: 'removal of lost second steps', log }, () => applyDueRemovals(service))]),
    every(minutes(1), { name: 'settlement of refunds', log }, () => settleRefunds(service)),
    every(seconds(30), { name: 'the report of this node', log, first: 0 }, report),
    every(seconds(3), { name: 'the work for operators', log }, workForOperators),
    every(seconds(10), { name: 'the statistics', log }, service.counters.flush),
    every(seconds(10), { name: 'the keys for searches', log }, () => indexAllChanges(service.store)),
    // Far below the gap that counts as an outage of ours (`longestGap` in `devices/store/alarm-states.ts`).
    ...(config.DEVICES === 'off' ? [] : [every(seconds(30), { name: 'evaluation of alarms', log }, evaluateAllAlarms)]),
    ...(config.BACKUP_DIR === undefined
      ? []
      : [every(minutes(1), { name: 'backup', log, first: 0 }, () => backUpIfDue(config, log))]),
  ];
  return {
    /** When this process last deleted all outdated rows; at first, when it started. */
    cleanedUpAt: cleaning.finishedAt,
    /** When the newest backup was started: 0 before the first one, undefined without BACKUP_DIR. */
    backedUpAt: (): number | undefined => (config.BACKUP_DIR === undefined ? undefined : newestBackup(config)),
    /** Resolves when the runs in progress have ended. */
    async stop(): Promise<void> {
      await Promise.all(jobs.map((job) => job.stop()));
      await service.counters.flush().catch((error: Error) => log.warn({ err: error }, 'the last statistics are lost'));
      // A node that stops by itself is not missing.
      await forgetNode(service.store, node.id).catch((error: Error) =>
        log.warn({ err: error }, 'this node stays listed'),
      );
    },
  };
}

/** Deletes outdated rows each hour, and soon after the start, so that a node that restarts often still cleans up. */
export function startCleanUp({ store, now, config, log, parts }: JobOptions) {
  let finishedAt = now();
  const clean = async () => {
    const activityKept = days(config.ACTIVITY_RETENTION_DAYS);
    const others = parts.flatMap((part) => part.outdated({ now: now(), config }));
    await storeRegistrationDays(store, now());
    await cleanUp(store, { now: now(), activityKept, others });
    const { AUDIT_RETENTION_DAYS: kept } = config;
    if (kept !== undefined) await shortenAuditLog(store, { before: now() - days(kept), now: now() });
    if (!config.DATABASE_URL) emptyLog(databaseFile(config.DATA_DIR));
    finishedAt = now();
  };
  return { ...every(hours(1), { name: 'clean-up', log, first: minutes(1) }, clean), finishedAt: () => finishedAt };
}
