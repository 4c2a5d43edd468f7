import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { seconds } from '../contract/durations.ts';
import type { InboxReader } from './messages.ts';

const heartbeat = seconds(20);

type Arrival<Kept extends Pick<InboxReader, 'listen'> | InboxReader['calls']> = Parameters<
  Parameters<Kept['listen']>[0]
>[0];

/** Every event's id contains the page's position in both lists: `<newest email>.<newest call>`. */
const seenOf = (id: string): { mail: string; call: string } => {
  const [mail = '', call = ''] = id.split('.', 2);
  return { mail, call };
};

/**
 * `/dev/inbox/events`: sends each email and call on arrival (Server-Sent Events), starting with those that arrived
 * after the page was rendered.
 */
export function sendInboxEvents(app: FastifyInstance, inbox: InboxReader): void {
  const open = new Set<ServerResponse>();

  app.get('/dev/inbox/events', async (request, reply) => {
    const { after } = request.query as { after?: unknown };
    const begin = seenOf(String(request.headers['last-event-id'] ?? after ?? ''));
    const seen = { ...begin };
    const headers = { ...reply.getHeaders(), 'content-type': 'text/event-stream', 'cache-control': 'no-store' };
    reply.hijack();
    const stream = reply.raw;
    stream.writeHead(200, headers as Record<string, string>);
    stream.write('retry: 1000\n\n');
    // An item that arrives while the list is read is in both the list and the events.
    const sent = new Set<string>();
    const tell = <About extends { readonly id: string }>(kind: 'mail' | 'call', about: About) => {
      if (sent.has(about.id)) return;
      sent.add(about.id);
      if (about.id > seen[kind]) seen[kind] = about.id;
      stream.write(`id: ${seen.mail}.${seen.call}\nevent: ${kind}\ndata: ${JSON.stringify(about)}\n\n`);
    };
    const tellMail = ({ id, at, to, subject }: Arrival<InboxReader>) => tell('mail', { id, at, to, subject });
    const tellCall = (call: Arrival<InboxReader['calls']>) => tell('call', call);
    const stops = [inbox.listen(tellMail), inbox.calls.listen(tellCall)];
    const beat = setInterval(() => stream.write(':\n\n'), heartbeat).unref();
    open.add(stream);
    stream.once('close', () => {
      for (const stop of stops) stop();
      clearInterval(beat);
      open.delete(stream);
    });
    const [mails, calls] = await Promise.all([inbox.list(), inbox.calls.list()]);
    for (const mail of mails.filter(({ id }) => id > begin.mail).reverse()) tellMail(mail);
    for (const call of calls.filter(({ id }) => id > begin.call).reverse()) tellCall(call);
  });

  // Shutdown waits for every response, and these never end on their own.
  app.addHook('preClose', async () => {
    for (const stream of open) stream.end();
  });
}
