import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addToRequestLog } from '../../../http/telemetry/request-log.ts';
import type { Service } from '../../../server/service.ts';
import { receiveCallReport, receiveSignedReport } from './call-reports.ts';

/** Bytes; documented reports are far smaller. */
const largestReport = 8 * 1024;

type Fields = Readonly<Record<string, unknown>>;
type Address = Readonly<Record<'call' | 'token' | 'provider', string>>;

/**
 * Providers report here that a user has called: to a secret URL of the call, or signed to one URL for all calls. Only
 * POST, because a provider may probe a URL with GET before anyone calls.
 */
export function callReportRoutes(app: FastifyInstance, service: Service): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
    scope.post('/phone/called/:call/:token', { bodyLimit: largestReport }, async (request, reply) => {
      const { call, token } = request.params as Address;
      return received(request, reply, await receiveCallReport(service, { call, token, fields: fieldsIn(request) }));
    });
    scope.post('/phone/called/:provider', { bodyLimit: largestReport }, async (request, reply) => {
      const { provider } = request.params as Address;
      return received(request, reply, await receiveSignedReport(service, { provider, fields: fieldsIn(request) }));
    });
  });
}

/** The same response to every report, so that a provider does not repeat those that confirm nothing. */
function received(request: FastifyRequest, reply: FastifyReply, hasConfirmed: boolean) {
  if (!hasConfirmed) addToRequestLog(request, { reason: 'no expected call is reported' });
  return reply.header('cache-control', 'no-store').type('text/plain').send('OK');
}

/** The fields of a form, or of JSON; none if the body is neither. */
function fieldsIn({ headers, body }: FastifyRequest): Fields {
  if (typeof body !== 'string') return {};
  if (headers['content-type']?.startsWith('application/x-www-form-urlencoded'))
    return Object.fromEntries(new URLSearchParams(body));
  try {
    const fields: unknown = JSON.parse(body);
    return typeof fields === 'object' && fields !== null ? (fields as Fields) : {};
  } catch {
    return {};
  }
}
