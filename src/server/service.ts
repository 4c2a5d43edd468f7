import type { WithParts } from '../access/account-part.ts';
import type { FairGate } from '../access/fair-gate.ts';
import type { FairScheduler } from '../access/fair-scheduler.ts';
import type { ProofOfWork } from '../access/proof-of-work.ts';
import type { Worker } from '../delivery/worker.ts';
import type { Inbox } from '../development-inbox/inbox.ts';
import type { Draining } from '../http/incoming/connections.ts';
import type { SourcesSeen } from '../http/incoming/visitor.ts';
import type { Page } from '../http/pages/page.ts';
import type { RedirectRules } from '../http/pages/redirect-rules.ts';
import type { RefusalMemory } from '../http/rate-limits/rate-limiter.ts';
import type { Cookies } from '../http/session/cookies.ts';
import type { Metrics } from '../http/telemetry/metrics.ts';
import type { Messengers } from '../messengers/messengers.ts';
import type { BounceHandler } from '../outbox/bounces/bounce-handler.ts';
import type { Relay } from '../outbox/bounces/relays/relay.ts';
import type { Outbox } from '../outbox/delivery/outbox-worker.ts';
import type { CallTexts } from '../phone-calls/call-texts.ts';
import type { Calls } from '../phone-calls/calls.ts';
import type { KeyEncryption } from '../security/macs.ts';
import type { Passwords } from '../security/passwords.ts';
import type { Rotate } from '../store/access/sessions.ts';
import type { Store } from '../store/database.ts';
import type { Counters } from '../store/operators/statistics.ts';
import type { Webhooks } from '../webhooks/webhook-worker.ts';
import type { Examinations } from './doctor/finding.ts';
import type { GeoIp } from './geoip.ts';
import type { OpenKeyring } from './keys/keyring.ts';
import type { Build } from './pages/rendered-pages.ts';
import type { RateLimiters } from './rate-limits.ts';
import type { Config, SettingInForce } from './settings/config.ts';
import type { Tracing } from './tracing.ts';

/** Everything that the service works with. Opened once, in `open-service.ts`; every decision receives all of it. */
export interface Service extends RateLimiters, WithParts {
  readonly config: Config;
  readonly store: Store;
  /** Every setting, for operators to see. */
  readonly settings: readonly SettingInForce[];
  /** What the doctor last found on this node. */
  readonly examined: Examinations;
  /** The longest time (ms) that a request waits for the database, for all its statements together. */
  readonly timeBudget: number;
  readonly keyring: OpenKeyring;
  readonly cookies: Cookies;
  readonly passwords: Passwords;
  /** Seals the secrets of authenticators with the operator's secret. */
  readonly secrets: KeyEncryption;
  /** Where password hashes wait for their turn. */
  readonly gate: FairGate;
  /** Where requests wait before they begin, except those that keep users signed in. */
  readonly scheduler: FairScheduler;
  /** Where sign-ins and registrations wait for their lookup: otherwise a flood would use every database connection. */
  readonly lookups: FairGate;
  /** Where batches of records wait: on SQLite, a refresh waits for the batches that began before it. */
  readonly recordBatches: FairGate;
  /** Where sign-ins to applications wait: each takes milliseconds, in many turns of the event loop. */
  readonly openIdRequests: FairGate;
  readonly proofOfWork: ProofOfWork;
  readonly rotate: Rotate;
  readonly outbox: Outbox;
  /** Delivers events to other applications. */
  readonly webhooks: Webhooks;
  /** Notifies applications of sign-outs. */
  readonly logouts: Pick<Worker<'gaveUp'>, 'count'>;
  readonly bounces: BounceHandler;
  /** Email providers whose webhooks report bounces. */
  readonly relays: readonly Relay[];
  readonly draining: Draining;
  readonly sources: SourcesSeen;
  /** Counts what happens, for operators. */
  readonly counters: Counters;
  /** Only with METRICS_PORT. */
  readonly metrics: Metrics | undefined;
  /** Only with a trace collector. */
  readonly tracing: Tracing | undefined;
  readonly calls: Calls;
  readonly callTexts: CallTexts;
  readonly messengers: Messengers;
  /** Locates IP addresses. */
  readonly geoip: GeoIp;
  /** Only without a mail server or a call provider. */
  readonly inbox: Inbox | undefined;
  readonly pages: readonly Page[];
  readonly build: Build;
  /** Folders with hashed assets: of this build, and of the previous one for tabs that are still open. */
  readonly assets: readonly string[];
  readonly redirectRules: RedirectRules;
  readonly recoveryRefusals: RefusalMemory;
  readonly codeRefusals: RefusalMemory;
  now(): number;
  /** Finishes work in progress and closes the database. */
  close(): Promise<void>;
}
