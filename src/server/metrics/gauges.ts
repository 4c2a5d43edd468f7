import { Counter, Gauge, type Registry } from 'prom-client';
import type { FairGate } from '../../access/gate/fair-gate.ts';
import { seconds } from '../../contract/durations.ts';
import { canWrite } from '../../http/readiness.ts';
import type { SourcesSeen } from '../../http/sources-seen.ts';
import type { Metrics } from '../../http/telemetry/metrics.ts';
import type { OutboxCounts } from '../../outbox/delivery/outbox-counts.ts';
import type { Outbox } from '../../outbox/delivery/outbox-worker.ts';
import { connectionsOf, outdatedPrimariesOf, type Store } from '../../store/database.ts';
import type { Backups } from '../backups.ts';

/** What is looked at when somebody asks. */
export interface GaugeSources {
  readonly metrics: Pick<Metrics, 'registry'>;
  readonly outbox: Pick<Outbox, 'counts'>;
  readonly sources: Pick<SourcesSeen, 'only'>;
  readonly gate: Pick<FairGate, 'state'>;
  readonly store: Store;
  /** Milliseconds since the epoch. */
  now(): number;
  readonly backups?: Pick<Backups, 'newest'> | undefined;
}

/** What is counted elsewhere and only looked at: each look writes it anew. */
export function openGauges({ metrics, outbox, sources, gate, store, now, backups }: GaugeSources): () => Promise<void> {
  const { registry } = metrics;
  const writeOutbox = outboxGauges(registry);
  const writeGate = gateGauges(registry);
  const database = gauge(registry, 'vestibule_database_up', '1 while the database answers and takes changes.');
  const connections = gaugeBy(registry, {
    name: 'vestibule_database_connections',
    help: 'Connections to PostgreSQL.',
    by: 'state',
  });
  const oneAddress = gauge(
    registry,
    'vestibule_visitors_from_one_address',
    '1 when every visitor seems to come from one address: the proxy does not say for whom it asks.',
  );
  const outdated = gauge(
    registry,
    'vestibule_database_outdated_primaries',
    'PostgreSQL servers that take changes although another one was promoted after them.',
  );
  const writeBackups = backups && backupGauge(registry, backups);
  return async () => {
    writeBackups?.();
    const [counts, takesChanges] = await Promise.all([outbox.counts().catch(() => undefined), canWrite(store, now())]);
    database.set(counts && takesChanges ? 1 : 0);
    writeOutbox(counts);
    writeGate(gate.state());
    outdated.set(outdatedPrimariesOf(store).length);
    oneAddress.set(sources.only() === undefined ? 0 : 1);
    for (const [state, count] of Object.entries(connectionsOf(store) ?? {})) connections.set({ state }, count);
  };
}

const gauge = (registry: Registry, name: string, help: string) => new Gauge({ name, help, registers: [registry] });

const gaugeBy = <Label extends string>(
  registry: Registry,
  { name, help, by }: { name: string; help: string; by: Label },
) => new Gauge({ name, help, labelNames: [by], registers: [registry] });

/** What counts by itself is written whole each time. */
function total(registry: Registry, name: string, help: string): (count: number) => void {
  const counter = new Counter({ name, help, registers: [registry] });
  return (count) => {
    counter.reset();
    counter.inc(count);
  };
}

function backupGauge(registry: Registry, { newest }: Pick<Backups, 'newest'>): () => void {
  const at = gauge(
    registry,
    'vestibule_backup_timestamp_seconds',
    'When the newest backup was made; 0 while there is none.',
  );
  return () => at.set((newest() ?? 0) / seconds(1));
}

function outboxGauges(registry: Registry) {
  const queued = gauge(registry, 'vestibule_outbox_queued', 'Mails still to be sent, of every node.');
  const oldest = gauge(registry, 'vestibule_outbox_oldest_seconds', 'Age of the oldest of them; 0 when there is none.');
  const up = gauge(
    registry,
    'vestibule_mail_server_up',
    '1 while the mail server takes mails from this process, as far as it knows.',
  );
  const sent = total(registry, 'vestibule_outbox_sent_total', 'Mails sent by this process.');
  const failed = total(registry, 'vestibule_outbox_failed_total', 'Mails given up by this process.');
  const heldBack = total(
    registry,
    'vestibule_outbox_held_back_total',
    'Mails that this process did not send, because mails to their addresses come back.',
  );
  const refused = total(
    registry,
    'vestibule_outbox_refused_total',
    'Tries of this process that a mail server refused until somebody mends something.',
  );
  return (counts: OutboxCounts | undefined) => {
    // What the database would say is not known meanwhile, and the last it said would look like good news.
    if (!counts) {
      queued.remove();
      oldest.remove();
      return;
    }
    queued.set(counts.queued);
    oldest.set(counts.oldest / seconds(1));
    up.set(counts.fault === undefined ? 1 : 0);
    sent(counts.sent);
    failed(counts.failed);
    heldBack(counts.heldBack);
    refused(counts.refused);
  };
}

function gateGauges(registry: Registry) {
  const inside = gauge(registry, 'vestibule_gate_inside', 'Sign-ins and the like that are worked on.');
  const waiting = gaugeBy(registry, {
    name: 'vestibule_gate_waiting',
    help: 'Those that wait for a turn.',
    by: 'lane',
  });
  const admitted = total(registry, 'vestibule_gate_admitted_total', 'Those that had a turn.');
  const refused = total(registry, 'vestibule_gate_refused_total', 'Those that were sent away.');
  const waited = total(registry, 'vestibule_gate_waited_seconds_total', 'Time that those with a turn waited for it.');
  const worked = total(registry, 'vestibule_gate_worked_seconds_total', 'Time that their turns took.');
  return (state: ReturnType<FairGate['state']>) => {
    inside.set(state.inside);
    for (const [lane, count] of Object.entries(state.waiting)) waiting.set({ lane }, count);
    admitted(state.admitted);
    refused(state.refused);
    waited(state.waited / seconds(1));
    worked(state.worked / seconds(1));
  };
}
