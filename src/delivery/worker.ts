import { setTimeout as pause } from 'node:timers/promises';
import type { RawBuilder, SqlBool } from 'kysely';
import { seconds } from '../contract/units.ts';
import { every } from '../runtime/every.ts';
import type { Store } from '../store/database.ts';
import type { Queue, QueueColumns } from '../store/queue.ts';

/** Longest wait of a row that another node wrote, or whose pause is over. */
const pollEvery = seconds(1);
/** How long rounds may fail before a worker counts as unusable. */
const unusableAfter = seconds(10);
/** How long a stop waits for sends in progress; their rows are sent again later. */
const stopWithin = seconds(1);
/** A larger step back means that the clock was set back, not corrected. */
const clockStep = seconds(2);

/** How an attempt ended, what becomes of its row, and the name under which it is counted. */
export type Outcome<Name extends string> = { readonly name: Name } & (
  | { readonly end: 'done' }
  | { readonly end: 'postpone'; readonly dueAt: number; readonly error: string }
  | { readonly end: 'release' | 'giveUp'; readonly error: string }
);

export interface DeliveryLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

type LaneName = string | number;

interface Lane<Name> {
  readonly name: Name;
  readonly newestFirst?: boolean;
}

/** Sends of a lane, as far as they limit how many more may begin. */
export interface LaneState<Name> {
  readonly lane: Name;
  /** Sends in progress, of this lane … */
  readonly sending: number;
  /** … and of all lanes. */
  readonly total: number;
  /** Whether the latest attempt of this lane failed. */
  readonly isFailing: boolean;
}

interface WorkerOptions<Row extends QueueColumns, Name extends LaneName, Outcomes extends string> {
  /** What it delivers, for its log: `email`, … */
  readonly what: string;
  readonly queue: Queue<Row, Name>;
  readonly store: Store;
  readonly now: () => number;
  readonly log: DeliveryLog;
  /** Claims only these rows. */
  readonly where?: RawBuilder<SqlBool>;
  /** Longer than any send, so that no other worker claims a row that is being sent. */
  readonly leaseFor: number;
  /** The lanes that may have due rows now, in the order of their claims. */
  lanes(): readonly Lane<Name>[] | Promise<readonly Lane<Name>[]>;
  /** How many more sends of a lane may begin. */
  room(state: LaneState<Name>): number;
  /** Before each round; if it resolves to false, the round claims nothing. */
  mayClaim?(): Promise<boolean>;
  /** Corrects waiting times at startup, since the clock may have been set back before. */
  onStart(now: number): Promise<unknown>;
  /** Outcomes of claimed rows that are known without an attempt, by their ids. */
  knownOutcomes?(rows: readonly Row[]): Promise<ReadonlyMap<string, Outcome<Outcomes>>>;
  send(row: Row): Promise<Outcome<Outcomes>>;
  /** Ends sends in progress, since the service does not wait for them any longer. */
  abandon(): Promise<void> | void;
}

/** Delivers the rows of a queue, at least once each; any number of nodes may run one. */
export interface Worker<Outcomes extends string> {
  /** Call it after the transaction of a new row commits: it leaves immediately. */
  wake(): void;
  /** The service is about to stop: sends in progress have a second from now on. */
  announceStop(): void;
  /** Claims no more, and gives sends in progress a second, from their beginning or the announcement. */
  stop(): Promise<void>;
  /** Whether rows can be claimed: the worker runs and reaches its database. */
  usable(): boolean;
  /** How many attempts of this process had this outcome. */
  count(outcome: Outcomes): number;
}

export function startWorker<Row extends QueueColumns, Name extends LaneName, Outcomes extends string>({
  what,
  queue,
  store,
  now,
  log,
  leaseFor,
  where,
  ...options
}: WorkerOptions<Row, Name, Outcomes>): Worker<Outcomes> {
  const lanes = new Map<Name, { readonly sending: Set<string>; isFailing: boolean }>();
  /** Sends in progress, and when they began. */
  const sends = new Map<Promise<void>, number>();
  const counts = new Map<Outcomes, number>();
  let latest: number | undefined;
  let announced: number | undefined;
  let stopped = false;
  let lastGoodRound = performance.now();

  async function round(): Promise<void> {
    await followClock();
    if ((await options.mayClaim?.()) ?? true) for (const lane of await options.lanes()) await claim(lane);
    lastGoodRound = performance.now();
  }

  /** Otherwise whatever waits for its next attempt would wait until a clock that was set back has caught up. */
  async function followClock(): Promise<void> {
    const at = now();
    if (latest === undefined) await options.onStart(at);
    else if (at < latest - clockStep) await queue.shift(store, { now: at, by: latest - at });
    latest = at;
  }

  async function claim({ name, newestFirst = false }: Lane<Name>): Promise<void> {
    const lane = lanes.get(name) ?? { sending: new Set(), isFailing: false };
    lanes.set(name, lane);
    const { sending, isFailing } = lane;
    const limit = options.room({ lane: name, sending: sending.size, total: sends.size, isFailing });
    // Each send that ends wakes us again.
    if (limit <= 0 || stopped) return;
    const terms = { limit, now: now(), leaseFor, newestFirst, where, except: [...sending] };
    const rows = await queue.claim(store, { lane: name, ...terms });
    const known = await options.knownOutcomes?.(rows);
    for (const row of rows) {
      const outcome = known?.get(row.id) ?? options.send(row);
      lane.sending.add(row.id);
      const ended = settle(row, outcome)
        .then((isDone) => {
          lane.isFailing = !isDone;
        })
        // Its lease expires, and it is tried again.
        .catch((error: unknown) => log.error({ err: error, [what]: row.id }, 'cannot record the outcome of an attempt'))
        .finally(() => {
          lane.sending.delete(row.id);
          sends.delete(ended);
          job.wake();
        });
      sends.set(ended, performance.now());
    }
  }

  async function settle(row: Row, sent: Outcome<Outcomes> | Promise<Outcome<Outcomes>>): Promise<boolean> {
    const outcome = await sent;
    if (outcome.end === 'done') await queue.done(store, row, now());
    else if (outcome.end === 'postpone') await queue.postpone(store, row, outcome);
    else if (outcome.end === 'release') await queue.release(store, row, outcome.error);
    else await queue.giveUp(store, row, { at: now(), error: outcome.error });
    counts.set(outcome.name, (counts.get(outcome.name) ?? 0) + 1);
    return outcome.end === 'done';
  }

  /** Milliseconds until the last send in progress has had its time. */
  function graceLeft(): number {
    const at = performance.now();
    const waited = [...sends.values()].map((since) => at - Math.max(since, announced ?? at));
    return Math.max(0, ...waited.map((milliseconds) => stopWithin - milliseconds));
  }

  const job = every(pollEvery, { name: `delivery of ${what}s`, log }, round);
  job.wake();

  return {
    wake: job.wake,
    announceStop() {
      announced ??= performance.now();
    },
    async stop() {
      stopped = true;
      await job.stop();
      const underWay = Promise.all(sends.keys());
      await Promise.race([underWay, pause(graceLeft(), undefined, { ref: false })]);
      await options.abandon();
      await underWay;
    },
    usable: () => !stopped && performance.now() - lastGoodRound < unusableAfter,
    count: (outcome) => counts.get(outcome) ?? 0,
  };
}

/** The age of the oldest waiting row, in milliseconds; 0 if there is none. */
export const ageOf = (oldest: number | null, now: number): number => (oldest === null ? 0 : Math.max(0, now - oldest));

/**
 * A growing back-off. The returned function says how long to wait after the n-th failed attempt, in milliseconds; after
 * the last step, always that long. `jitter` spreads the retries of rows that failed together; `random` is in [0, 1).
 */
export const pauses =
  (steps: readonly number[], jitter: number) =>
  ({ attempts, random }: { readonly attempts: number; readonly random: number }): number => {
    const step = steps[Math.min(Math.max(attempts, 1), steps.length) - 1] ?? 0;
    return Math.round(step * (1 - jitter + 2 * jitter * random));
  };
