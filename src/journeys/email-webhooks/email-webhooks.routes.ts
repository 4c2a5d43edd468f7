import type { FastifyInstance } from 'fastify';
import type { Service } from '../../server/service.ts';
import { receiveEmailWebhook } from './email-webhooks.ts';

/** Bytes. SendGrid sends a batch once it has 768 KiB. */
const largestBatch = 1024 * 1024;

/** The webhooks for bounces: one URL for each relay that the operator configured. */
export function emailWebhookRoutes(app: FastifyInstance, service: Service): void {
  if (service.relays.length === 0) return;
  app.register(async (scope) => {
    // Keep the raw body: signatures cover bytes, and Amazon calls its JSON text.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    for (const relay of service.relays) {
      const bodyLimit = relay.largestBody ?? largestBatch;
      scope.post(`/mail/returned/${relay.name}`, { bodyLimit }, async ({ headers, body, visitor }, reply) => {
        // Amazon's JSON is parsed before its signature can be verified.
        await service.scheduler.begin(visitor);
        const header = (name: string) => String(headers[name] ?? '');
        await receiveEmailWebhook(service, relay, { header, body: Buffer.isBuffer(body) ? body : Buffer.alloc(0) });
        return reply.code(204).header('cache-control', 'no-store').send();
      });
    }
  });
}
