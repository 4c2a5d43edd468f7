import type { FastifyInstance } from 'fastify';
import type { Service } from '../../server/service.ts';
import { receiveEmailWebhook } from './email-webhooks.ts';

/** SendGrid tells of a batch when that has 768 KiB. */
const largestBatch = 1024 * 1024;

/** Where relays tell that mail came back: each at an address of its own, and only where the operator has named it. */
export function emailWebhookRoutes(app: FastifyInstance, service: Service): void {
  if (service.relays.length === 0) return;
  app.register(async (scope) => {
    // As it came: signatures are of bytes, and Amazon calls its JSON a text.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    for (const relay of service.relays) {
      const bodyLimit = relay.largestBody ?? largestBatch;
      scope.post(`/mail/returned/${relay.name}`, { bodyLimit }, async ({ headers, body }, reply) => {
        const header = (name: string) => String(headers[name] ?? '');
        await receiveEmailWebhook(service, relay, { header, body: Buffer.isBuffer(body) ? body : Buffer.alloc(0) });
        return reply.code(204).header('cache-control', 'no-store').send();
      });
    }
  });
}
