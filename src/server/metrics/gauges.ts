import { Counter, Gauge, type Registry } from 'prom-client';
import type { FairGate } from '../../access/gate/fair-gate.ts';
import { seconds } from '../../contract/durations.ts';
import { canWrite } from '../../http/service/readiness.ts';
import type { SourcesSeen } from '../../http/sources-seen.ts';
import type { Metrics } from '../../http/telemetry/metrics.ts';
import type { Outbox, OutboxCounts } from '../../outbox/delivery/outbox-worker.ts';
import { connectionsOf, outdatedPrimariesOf, type Store } from '../../store/database.ts';
import type { WebhookCounts, Webhooks } from '../../webhooks/webhook-worker.ts';
import type { RegularJobs } from '../regular-jobs.ts';

/** The sources that each scrape reads. */
export interface GaugeSources {
  readonly metrics: Pick<Metrics, 'registry'>;
  readonly outbox: Pick<Outbox, 'counts'>;
  readonly webhooks: Pick<Webhooks, 'counts'>;
  readonly sources: Pick<SourcesSeen, 'only'>;
  readonly gate: Pick<FairGate, 'state'>;
  readonly store: Store;
  /** Milliseconds since the epoch. */
  now(): number;
  readonly jobs: Pick<RegularJobs, 'cleanedUpAt' | 'backedUpAt'>;
}

/** Gauges and counters whose values live elsewhere. The returned function copies the current values at each scrape. */
export function openGauges({
  metrics,
  outbox,
  webhooks,
  sources,
  gate,
  store,
  now,
  jobs,
}: GaugeSources): () => Promise<void> {
  const { registry } = metrics;
  const writeOutbox = outboxGauges(registry);
  const writeWebhooks = webhookGauges(registry);
  const writeGate = gateGauges(registry);
  const database = gauge(registry, 'vestibule_database_up', '1 while the database responds and accepts writes.');
  const connections = gaugeBy(registry, {
    name: 'vestibule_database_connections',
    help: 'Connections to PostgreSQL.',
    by: 'state',
  });
  const oneAddress = gauge(
    registry,
    'vestibule_visitors_from_one_address',
    '1 if all visitors seem to come from one address: the proxy does not pass on their addresses.',
  );
  const outdated = gauge(
    registry,
    'vestibule_database_outdated_primaries',
    'PostgreSQL servers that accept writes although another one was promoted after them.',
  );
  const cleaned = gauge(
    registry,
    'vestibule_clean_up_timestamp_seconds',
    'When this process last deleted all outdated rows; at first, when it started.',
  );
  const backup =
    jobs.backedUpAt() !== undefined &&
    gauge(registry, 'vestibule_backup_timestamp_seconds', 'When the newest backup was made; 0 before the first one.');
  return async () => {
    if (backup) backup.set((jobs.backedUpAt() ?? 0) / seconds(1));
    cleaned.set(jobs.cleanedUpAt() / seconds(1));
    const [counts, takesChanges] = await Promise.all([outbox.counts().catch(() => undefined), canWrite(store, now())]);
    database.set(counts && takesChanges ? 1 : 0);
    writeOutbox(counts);
    writeWebhooks(await webhooks.counts().catch(() => undefined));
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

/** A counter whose total is kept elsewhere: each call replaces the whole value. */
function total(registry: Registry, name: string, help: string): (count: number) => void {
  const counter = new Counter({ name, help, registers: [registry] });
  return (count) => {
    counter.reset();
    counter.inc(count);
  };
}

function outboxGauges(registry: Registry) {
  const queued = gauge(registry, 'vestibule_outbox_queued', 'Emails waiting in the outbox, for all nodes together.');
  const oldest = gauge(
    registry,
    'vestibule_outbox_oldest_seconds',
    'Age of the oldest queued email; 0 if the outbox is empty.',
  );
  const up = gauge(
    registry,
    'vestibule_mail_server_up',
    '1 while the mail server accepts emails from this process, as far as it knows.',
  );
  const sent = total(registry, 'vestibule_outbox_sent_total', 'Emails sent by this process.');
  const failed = total(registry, 'vestibule_outbox_failed_total', 'Emails given up by this process.');
  const heldBack = total(
    registry,
    'vestibule_outbox_held_back_total',
    'Emails that this process did not send, because their addresses are suppressed.',
  );
  const refused = total(
    registry,
    'vestibule_outbox_refused_total',
    'Attempts of this process that the mail server refused until an operator corrects something.',
  );
  return (counts: OutboxCounts | undefined) => {
    // While the database is down, the queue is unknown; the last known values would look healthy.
    if (!counts) {
      queued.remove();
      oldest.remove();
      return;
    }
    queued.set(counts.queued);
    oldest.set(counts.oldest / seconds(1));
    up.set(counts.lastError === undefined ? 1 : 0);
    sent(counts.sent);
    failed(counts.failed);
    heldBack(counts.heldBack);
    refused(counts.refused);
  };
}

function webhookGauges(registry: Registry) {
  const queued = gauge(registry, 'vestibule_webhooks_queued', 'Webhooks that wait, for all nodes together.');
  const oldest = gauge(
    registry,
    'vestibule_webhooks_oldest_seconds',
    'Age of the oldest webhook that waits; 0 if none does.',
  );
  const disabled = gauge(
    registry,
    'vestibule_webhooks_disabled_receivers',
    'Receivers that are disabled because they responded 410 Gone.',
  );
  const delivered = total(registry, 'vestibule_webhooks_delivered_total', 'Webhooks delivered by this process.');
  const failed = total(registry, 'vestibule_webhooks_failed_total', 'Failed attempts of this process.');
  const gaveUp = total(registry, 'vestibule_webhooks_given_up_total', 'Webhooks given up by this process.');
  return (counts: WebhookCounts | undefined) => {
    // As with emails, the last known values would look healthy while the database is down.
    if (!counts) {
      queued.remove();
      oldest.remove();
      disabled.remove();
      return;
    }
    queued.set(counts.queued);
    oldest.set(counts.oldest / seconds(1));
    disabled.set(counts.disabled);
    delivered(counts.delivered);
    failed(counts.failed);
    gaveUp(counts.gaveUp);
  };
}

function gateGauges(registry: Registry) {
  const inside = gauge(registry, 'vestibule_gate_inside', 'Requests with a turn at the gate, such as sign-ins.');
  const waiting = gaugeBy(registry, {
    name: 'vestibule_gate_waiting',
    help: 'Requests that wait for a turn at the gate.',
    by: 'lane',
  });
  const admitted = total(registry, 'vestibule_gate_admitted_total', 'Requests that got a turn at the gate.');
  const refused = total(registry, 'vestibule_gate_refused_total', 'Requests that the gate refused.');
  const waited = total(
    registry,
    'vestibule_gate_waited_seconds_total',
    'Time that admitted requests waited for their turn.',
  );
  const worked = total(registry, 'vestibule_gate_worked_seconds_total', 'Time that admitted requests took.');
  return (state: ReturnType<FairGate['state']>) => {
    inside.set(state.inside);
    for (const [lane, count] of Object.entries(state.waiting)) waiting.set({ lane }, count);
    admitted(state.admitted);
    refused(state.refused);
    waited(state.waited / seconds(1));
    worked(state.worked / seconds(1));
  };
}
