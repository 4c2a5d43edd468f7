import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../contract/failures.ts';
import { seconds } from '../contract/units.ts';
import { every } from '../runtime/every.ts';
import type { Service } from '../server/service.ts';
import { findSession, isLive } from '../store/access/sessions.ts';
import { accountVersion } from '../store/accounts/accounts.ts';
import { openStreamSlots, type Slot } from './rate-limits/stream-slots.ts';
import type { Principal } from './session/authentication.ts';
import { accessTokenLifetime } from './session/grant-session.ts';

/** Polling finds the changes of other nodes; this node sends its own immediately. */
const pollEvery = seconds(5);
/** Each event makes a page reload its lists, so events that are close together are merged. */
const eventsApart = seconds(2);
/** Proxies close idle connections. */
const heartbeatEvery = seconds(20);
const sweepEvery = seconds(30);
const limits = { perAccount: 20, perNode: 5000 };

interface Stream {
  readonly notify: () => void;
  /** Ends the stream if its session has ended. Resolves to whether the session is live. */
  readonly check: () => Promise<boolean>;
  readonly end: () => void;
}

/** Streams of server-sent events for signed-in users; `changed` is the only event. */
export function openAccountEvents(app: FastifyInstance, service: Service) {
  const slots = openStreamSlots(limits);
  const streams = new Map<string, Set<Stream>>();
  const streamsOf = (accountId: string): readonly Stream[] => [...(streams.get(accountId) ?? [])];

  function keep(accountId: string, stream: Stream): () => void {
    const own = streams.get(accountId) ?? new Set();
    streams.set(accountId, own.add(stream));
    return () => {
      own.delete(stream);
      if (own.size === 0) streams.delete(accountId);
    };
  }

  function sweep(): void {
    const lost = slots.sweep();
    if (lost > 0)
      app.log.error({ lost, open: slots.count() }, 'released event streams whose connections closed without an event');
  }

  function admit(slot: Slot, accountId: string): void {
    if (slot.assign(accountId)) return;
    // Not reported: a connection that closes at this moment emits its event only afterward.
    slots.sweep();
    if (!slot.isFree && !slot.assign(accountId)) throw tooMany();
  }

  const sweeping = every(sweepEvery, { name: 'search for lost event streams', log: app.log }, sweep);
  // A stopping server waits for every response, and streams never end by themselves.
  app.addHook('preClose', async () => {
    void sweeping.stop();
    for (const accountId of [...streams.keys()]) for (const stream of streamsOf(accountId)) stream.end();
  });
  // Any change may have ended a session, and a stream must not outlive its session.
  app.addHook('onResponse', ({ method, logFields }, _reply, done) => {
    if (method !== 'GET' && logFields?.account !== undefined)
      for (const stream of streamsOf(logFields.account)) stream.check().catch(() => undefined);
    done();
  });

  return {
    /** Sends `changed` to an account's streams. */
    publish: (accountId: string): void => {
      for (const stream of streamsOf(accountId)) stream.notify();
    },

    /** Responds with a stream once `signIn` resolves. Throws `try_again_later` if there are too many streams. */
    async open(
      { request, reply }: { request: FastifyRequest; reply: FastifyReply },
      signIn: () => Promise<Principal>,
    ): Promise<void> {
      const slot = slots.take({ request: request.raw, response: reply.raw });
      if (!slot) throw tooMany();
      try {
        const { accountId, sessionId } = await signIn();
        admit(slot, accountId);
        const known = await accountVersion(service.store, accountId);
        reply.hijack();
        if (slot.isFree) return;
        const stream = startStream({ service, reply, slot, sessionId, accountId, known });
        slot.onFree(keep(accountId, stream));
      } catch (error) {
        slot.release();
        throw error;
      }
    },
  };
}

const tooMany = () => new Failure('try_again_later', { retryAfter: 10 });

interface Start extends Pick<Principal, 'accountId' | 'sessionId'> {
  readonly service: Service;
  readonly reply: FastifyReply;
  readonly slot: Slot;
  /** The account's version when the stream began. */
  readonly known: string;
}

function startStream({ service: { store, now }, reply, slot, sessionId, accountId, known }: Start): Stream {
  const { raw: response } = reply;
  const headers = { ...reply.getHeaders(), 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' };
  response.writeHead(200, headers as Record<string, string>);
  response.write(':\n\n');

  let seen = known;
  let sentAt = Number.NEGATIVE_INFINITY;
  let planned: NodeJS.Timeout | undefined;
  const send = () => {
    planned = undefined;
    sentAt = performance.now();
    response.write('event: changed\ndata: {}\n\n');
  };
  const notify = () => {
    planned ??= setTimeout(send, Math.max(0, sentAt + eventsApart - performance.now())).unref();
  };
  const check = async () => {
    const session = await findSession(store, sessionId);
    const lives = session !== undefined && isLive(session, now());
    if (!lives) response.end();
    return lives;
  };
  const look = async () => {
    if (!(await check())) return;
    const news = await accountVersion(store, accountId);
    if (news !== seen) notify();
    seen = news;
  };
  // A reader that has not taken the last heartbeats is gone, even if the connection looks open.
  const beat = () => (response.writableNeedDrain ? response.destroy() : response.write(':\n\n'));
  const timers = [
    // During a database outage there are no changes to report.
    setInterval(() => look().catch(() => undefined), pollEvery).unref(),
    setInterval(beat, heartbeatEvery).unref(),
    // The page reconnects with a fresh token.
    setTimeout(() => response.end(), accessTokenLifetime).unref(),
  ];
  slot.onFree(() => {
    clearTimeout(planned);
    for (const timer of timers) clearTimeout(timer);
  });
  return { notify, check, end: () => response.end() };
}
