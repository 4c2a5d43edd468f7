import { createRequire } from 'node:module';
import { join } from 'node:path';

/** The figures of one run, by name. */
export type Figures = Readonly<Record<string, number>>;

export interface Contender {
  readonly name: string;
  /** Measures once, from a fresh start to its end. */
  run(): Promise<Figures>;
}

export interface Measurement {
  readonly says: string;
  /** Name of the contender that the others are compared with. */
  readonly limit?: string;
  contenders(): Promise<readonly Contender[]>;
}

const middle = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Medians of several rounds. Contenders take turns, so that a machine that slows down affects all of them. */
export async function medians(contenders: readonly Contender[], rounds: number): Promise<Map<string, Figures>> {
  const seen = new Map<string, Figures[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, run } of contenders) {
      process.stderr.write(`  ${name}, ${round + 1} of ${rounds}\n`);
      seen.get(name)?.push(await run());
    }
  }
  return new Map([...seen].map(([name, all]) => [name, medianOf(all)]));
}

/** The median of each figure. */
export function medianOf(all: readonly Figures[]): Figures {
  const names = new Set(all.flatMap((figures) => Object.keys(figures)));
  return Object.fromEntries([...names].map((name) => [name, middle(all.flatMap((figures) => figures[name] ?? []))]));
}

/** The part of autocannon's interface that we use (its README). */
type Cannon = (options: object) => Promise<Result>;
interface Result {
  readonly requests: { readonly total: number };
  readonly latency: { readonly p50: number; readonly p99: number };
  readonly duration: number;
  readonly statusCodeStats: Readonly<Record<string, { readonly count: number }>>;
  readonly errors: number;
}

type Headers = Readonly<Record<string, string | readonly string[]>>;

export interface BenchRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The requests of one client: each depends on the previous response. */
export interface Conversation {
  next(): BenchRequest;
  heard(headers: Headers, body: string): void;
}

interface Load {
  readonly url: string;
  readonly clients: number;
  readonly seconds: number;
  /** Begins a conversation for each client. */
  readonly converse: () => Conversation;
  /** Whether a response with this status counts as served; any 2xx by default. */
  readonly isServed?: (status: number) => boolean;
}

// From the peers' package, which the product does not depend on.
const peers = createRequire(join(import.meta.dirname, 'peers', 'package.json'));

/** Loads a server for some seconds. Returns requests served per second, latencies (ms), and the number not served. */
export async function load({ url, clients, seconds, converse, isServed = isSuccess }: Load): Promise<Figures> {
  const fire = peers('autocannon') as Cannon;
  const result = await fire({
    url,
    connections: clients,
    duration: seconds,
    setupClient(client: { setRequests(requests: object[]): void }) {
      const conversation = converse();
      client.setRequests([
        {
          setupRequest: (request: object) => ({ ...request, ...conversation.next() }),
          onResponse: (...[, body, , headers]: [number, string, object, Headers]) => conversation.heard(headers, body),
        },
      ]);
    },
  });
  let served = 0;
  let refused = result.errors;
  for (const [status, { count }] of Object.entries(result.statusCodeStats)) {
    if (isServed(Number(status))) served += count;
    else refused += count;
  }
  return {
    'per second': served / result.duration,
    'p50, ms': result.latency.p50,
    'p99, ms': result.latency.p99,
    refused,
  };
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** The same requests in turn, regardless of the responses. */
export function inTurn(requests: readonly BenchRequest[]): () => Conversation {
  let at = 0;
  return () => ({
    next() {
      at += 1;
      return requests[at % requests.length] as BenchRequest;
    },
    heard: () => undefined,
  });
}
