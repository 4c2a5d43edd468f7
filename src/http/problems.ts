import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure, type FailureCode, type Problem } from '../contract/failures.ts';
import { stepUpLifetime } from '../contract/sign-in/admission.ts';
import { InvalidCredential } from '../security/web-authn/web-authn.ts';
import { isTransientError } from '../store/database-errors.ts';
import { addToRequestLog, installErrorLog } from './telemetry/request-log.ts';

export const titleOf = (code: FailureCode) => `${code.charAt(0).toUpperCase()}${code.slice(1).replaceAll('_', ' ')}`;

/** Sends a failure as a problem document (RFC 9457). */
export function sendProblem(reply: FastifyReply, failure: Failure): FastifyReply {
  // The rest is for the client.
  const { status: _, isCrowded, retryAfter, about, cause, ...shown } = failure.detail;
  const detail = detailOf(failure);
  addToRequestLog(reply.request, { ...about, code: failure.code, reason: shown.reason, ...(detail && { detail }) });
  const problem: Problem = {
    type: `urn:vestibule:${failure.code}`,
    title: titleOf(failure.code),
    status: failure.status,
    code: failure.code,
    ...shown,
  };
  if (failure.status === 429 || failure.status === 503 || retryAfter !== undefined)
    reply.header('retry-after', String(waitOf(failure)));
  if (failure.status === 429) reply.header('ratelimit', `"${failure.code}";r=0;t=${waitOf(failure)}`);
  if (failure.status === 401) reply.header('www-authenticate', challengeOf(failure));
  // The operator finds the request in the log by this id.
  reply.code(failure.status).header('cache-control', 'no-store').header('x-request-id', reply.request.id);
  if (isForPerson(reply.request)) return reply.server.sendErrorPage(reply.request, reply);
  return reply.type('application/problem+json').serializer(JSON.stringify).send(problem);
}

/** Seconds. */
const waitOf = ({ detail: { retryAfter, minutes } }: Failure): number => retryAfter ?? (minutes ? minutes * 60 : 1);

/** What was wrong with a passkey; some of it comes from the client. */
const maxDetailLength = 200;
const detailOf = ({ cause }: Failure): string | undefined =>
  cause instanceof InvalidCredential ? cause.message.slice(0, maxDetailLength) : undefined;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** People open this address in a browser, and get a page if it fails. */
    isPage?: boolean;
  }
  interface FastifyInstance {
    /** Sends the page for errors, with the status of the reply. */
    sendErrorPage(request: FastifyRequest, reply: FastifyReply): FastifyReply;
  }
}

const isForPerson = ({ routeOptions, headers }: FastifyRequest): boolean =>
  routeOptions.config?.isPage === true && headers.accept?.includes('text/html') === true;

const challengeOf = ({ code }: Failure): string =>
  code === 'step_up_required'
    ? `Bearer error="insufficient_user_authentication", max_age="${stepUpLifetime / 1000}"`
    : 'Bearer';

/** Translates the framework's own refusals into our codes. */
function fromFramework(error: FastifyError, url: string): Failure | undefined {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new Failure('payload_too_large');
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new Failure('unsupported_media_type');
  // Any client error on an asset's path means that there is no such asset.
  if (error.statusCode === 404 || (error.statusCode && error.statusCode < 500 && url.startsWith('/assets/')))
    return new Failure('not_found');
  if (error.statusCode && error.statusCode >= 400 && error.statusCode < 500) return new Failure('malformed_request');
  return undefined;
}

/** Turns everything that is thrown into a response. Logs unforeseen errors in full, and hides them from the client. */
export function sendFailure(error: FastifyError | Failure, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const foreseen = error instanceof Failure ? error : fromFramework(error, request.url);
  if (foreseen) return sendProblem(reply, foreseen);
  if (isTransientError(error)) {
    request.server.logError({ log: request.log, level: 'warn', error, says: 'a dependency failed' });
    return sendProblem(reply, new Failure('try_again_later', { retryAfter: 2 }));
  }
  request.server.logError({ log: request.log, level: 'error', error, says: 'unforeseen failure' });
  return sendProblem(reply, new Failure('server_error'));
}

/** Bytes. Visitors of guarded applications bring the cookies of these applications. */
export const maxHeaderSize = 64 * 1024;
const headersTooLarge = 'a request was refused: its headers exceed 64 kB';

/** Statuses by the error with which Node gives up on a request before it is complete; any other input is not HTTP. */
const brokenOff: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Responds on the bare connection to input that never becomes a request: it is not HTTP, too large or too slow. */
export function refuseBrokenRequest(app: FastifyInstance, error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  if (error.code === 'HPE_HEADER_OVERFLOW') app.logError({ log: app.log, level: 'warn', error, says: headersTooLarge });
  const status = brokenOff[error.code ?? ''] ?? '400 Bad Request';
  const code = 'malformed_request';
  const body = JSON.stringify({
    type: `urn:vestibule:${code}`,
    title: titleOf(code),
    status: Number.parseInt(status, 10),
    code,
  });
  const headers = ['Content-Type: application/problem+json', `Content-Length: ${body.length}`];
  socket.end([`HTTP/1.1 ${status}`, ...headers, 'Cache-Control: no-store', 'Connection: close', '', body].join('\r\n'));
}

export function handleFailures(app: FastifyInstance): void {
  installErrorLog(app);
  app.setErrorHandler(sendFailure);
}
