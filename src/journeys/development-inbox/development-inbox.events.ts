import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { seconds } from '../../contract/constants.ts';
import type { InboxReader } from './development-inbox.ts';

const heartbeat = seconds(20);

type Arrival = Parameters<Parameters<InboxReader['listen']>[0]>[0];

/** `/dev/inbox/events`: each mail as it comes (Server-Sent Events), first those that came after the page was made. */
export function sendInboxEvents(app: FastifyInstance, inbox: InboxReader): void {
  const open = new Set<ServerResponse>();

  app.get('/dev/inbox/events', async (request, reply) => {
    const { after } = request.query as { after?: unknown };
    const seen = String(request.headers['last-event-id'] ?? after ?? '');
    reply.hijack();
    const stream = reply.raw;
    stream.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    stream.write('retry: 1000\n\n');
    const stop = inbox.listen((message) => stream.write(asEvent(message)));
    const beat = setInterval(() => stream.write(':\n\n'), heartbeat).unref();
    open.add(stream);
    stream.once('close', () => {
      stop();
      clearInterval(beat);
      open.delete(stream);
    });
    const missed = (await inbox.list()).filter(({ id }) => id > seen);
    for (const message of missed.reverse()) stream.write(asEvent(message));
  });

  // The server's end waits for every answer, and these have none.
  app.addHook('preClose', async () => {
    for (const stream of open) stream.end();
  });
}

const asEvent = ({ id, at, to, subject }: Arrival): string =>
  `id: ${id}\nevent: mail\ndata: ${JSON.stringify({ id, at, to, subject })}\n\n`;
