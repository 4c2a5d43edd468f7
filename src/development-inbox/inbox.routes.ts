import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../contract/failures.ts';
import type { ProductSettings } from '../outbox/email/email-content.ts';
import { galleryRoutes } from './gallery.routes.ts';
import { sendInboxEvents } from './inbox-events.ts';
import { mailHeaders, pagePolicy } from './inbox-headers.ts';
import { inboxPage, mailDocument, type View, views } from './inbox-page.ts';
import { type InboxReader, isFromThisMachine } from './messages.ts';
import { previewRoutes } from './preview.routes.ts';

interface InboxRoutes {
  readonly inbox: InboxReader;
  readonly settings: ProductSettings;
}

/**
 * Mounts `/dev/inbox/`: the emails that would go to a mail server, the calls that a provider would place, a preview of
 * every email, and the gallery of all screens. Only if the public URL is this machine, and only for requests from it.
 */
export function developmentInboxRoutes(app: FastifyInstance, { inbox, settings }: InboxRoutes): void {
  app.register(async (room) => {
    room.addHook('onRequest', async (request, reply) => {
      const { socket, httpVersion, headers } = request.raw;
      const caller = { remoteAddress: socket.remoteAddress, httpVersion, headers };
      if (!isFromThisMachine(caller, settings.PUBLIC_URL)) throw new Failure('not_found');
      reply.header('cache-control', 'no-store').header('content-security-policy', pagePolicy);
    });

    room.get('/dev/inbox', (_request, reply) => reply.redirect('/dev/inbox/', 308));
    room.get('/dev/inbox/', showInbox);
    room.get('/dev/inbox/messages', async () => ({ messages: await inbox.list() }));
    room.get('/dev/inbox/calls', async () => ({ calls: await inbox.calls.list() }));
    room.post('/dev/inbox/calls/:id/call', callBack);
    room.get('/dev/inbox/:id/html', showMail);
    room.get('/dev/inbox/inbox.css', (_request, reply) => reply.type('text/css; charset=utf-8').send(styles));
    room.get('/dev/inbox/inbox.js', (_request, reply) => reply.type('text/javascript; charset=utf-8').send(script));
    sendInboxEvents(room, inbox);
    previewRoutes(room, settings);
    await galleryRoutes(room);
  });

  async function showInbox(request: FastifyRequest, reply: FastifyReply) {
    const { mail, view } = request.query as { mail?: unknown; view?: unknown };
    const chosen = typeof mail === 'string';
    const [messages, calls] = await Promise.all([inbox.list(), inbox.calls.list()]);
    const open = chosen ? messages.find(({ id }) => id === mail) : messages[0];
    reply.code(chosen && !open ? 404 : 200).type('text/html; charset=utf-8');
    return inboxPage({ messages, calls, open, chosen, view: isView(view) ? view : 'html' });
  }

  /** Calls the waiting number from the developer's phone. */
  async function callBack(request: FastifyRequest, reply: FastifyReply) {
    const call = await inbox.calls.read((request.params as { id: string }).id);
    if (call?.way !== 'reverse') throw new Failure('not_found');
    await inbox.calls.add({ ...call, called: true });
    return reply.code(204).send();
  }

  async function showMail(request: FastifyRequest, reply: FastifyReply) {
    const message = await inbox.read((request.params as { id: string }).id);
    if (!message) throw new Failure('not_found');
    reply.headers(mailHeaders).type('text/html; charset=utf-8');
    return mailDocument(message);
  }
}

const isView = (view: unknown): view is View => typeof view === 'string' && Object.hasOwn(views, view);

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');
const styles = `${read('../ui/tokens.css')}\n${read('inbox.css')}`;
const script = read('inbox.client.js');
