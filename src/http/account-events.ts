import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { minutes, seconds } from '../contract/durations.ts';
import { Failure } from '../contract/failures.ts';
import type { Service } from '../server/foundation.ts';
import { findSession, isLive } from '../store/access/sessions.ts';
import { newsOf } from '../store/accounts/account-news.ts';
import type { SignedIn } from './session/signed-in.ts';

/** News that another node wrote is seen when somebody looks; our own are told at once. */
const lookEvery = seconds(5);
/** Whoever listens asks for lists each time, so what comes close together is told as one. */
const toldEvery = seconds(2);
/** A proxy would take what says nothing for dead. */
const breatheEvery = seconds(20);
/** The listener comes back by itself, with a fresh token. */
const longest = minutes(10);
const mostOfAccount = 20;
const mostOfNode = 5000;

/** Streams of server-sent events to whoever is signed in: `changed`, and nothing else. */
export interface AccountEvents {
  /** Answers a request with a stream. Refuses with `try_again_later` where there are too many. */
  open(reply: FastifyReply, signedIn: SignedIn): Promise<void>;
  /** Something of an account is new. */
  tell(accountId: string): void;
}

interface Stream {
  readonly hear: () => void;
  readonly response: ServerResponse;
}

export function openAccountEvents(app: FastifyInstance, { store, now }: Service): AccountEvents {
  const streams = new Map<string, Set<Stream>>();
  let count = 0;

  function keep(accountId: string, stream: Stream): () => void {
    const own = streams.get(accountId) ?? new Set();
    streams.set(accountId, own.add(stream));
    count += 1;
    return () => {
      if (!own.delete(stream)) return;
      count -= 1;
      if (own.size === 0) streams.delete(accountId);
    };
  }

  // The server's end waits for every answer, and these have none.
  app.addHook('preClose', async () => {
    for (const { response } of [...streams.values()].flatMap((own) => [...own])) response.end();
  });

  return {
    tell: (accountId) => {
      for (const { hear } of streams.get(accountId) ?? []) hear();
    },

    async open(reply, { accountId, sessionId }) {
      if (count >= mostOfNode || (streams.get(accountId)?.size ?? 0) >= mostOfAccount)
        throw new Failure('try_again_later', { retryAfter: 10 });
      let known = await newsOf(store, accountId);
      const headers = { ...reply.getHeaders(), 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' };
      reply.hijack();
      const response = reply.raw;
      response.writeHead(200, headers as Record<string, string>);
      response.write(':\n\n');

      let toldAt = 0;
      let planned: NodeJS.Timeout | undefined;
      const hear = () => {
        planned ??= setTimeout(
          () => {
            planned = undefined;
            toldAt = performance.now();
            response.write('event: changed\ndata: {}\n\n');
          },
          Math.max(0, toldAt === 0 ? 0 : toldAt + toldEvery - performance.now()),
        ).unref();
      };
      const look = async () => {
        const session = await findSession(store, sessionId);
        if (!session || !isLive(session, now())) return void response.end();
        const news = await newsOf(store, accountId);
        if (news !== known) hear();
        known = news;
      };
      // While the database is away there is no news.
      const timers = [
        setInterval(() => look().catch(() => undefined), lookEvery).unref(),
        setInterval(() => response.write(':\n\n'), breatheEvery).unref(),
        setTimeout(() => response.end(), longest).unref(),
      ];
      const drop = keep(accountId, { hear, response });
      response.once('close', () => {
        drop();
        clearTimeout(planned);
        for (const timer of timers) clearTimeout(timer);
      });
    },
  };
}
