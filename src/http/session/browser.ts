import type { FastifyRequest } from 'fastify';
import { readRefreshToken } from '../../security/refresh-tokens.ts';
import type { Service } from '../../server/service.ts';
import { deviceTokenOf } from './cookies.ts';

/** The browser behind a request, as `admit` expects it: visitor, known-device cookie, and its former session. */
export const browserOf = (
  service: Service,
  request: FastifyRequest,
  { shared }: { readonly shared?: boolean | undefined } = {},
) => ({
  visitor: request.visitor,
  deviceToken: deviceTokenOf(request, service.cookies),
  formerSession: refreshTokenOf(service, request),
  shared,
});

/** The session that the refresh cookie names, live or ended; undefined without a cookie that we signed. */
export const sessionOfCookie = (service: Service, request: FastifyRequest): string | undefined =>
  refreshTokenOf(service, request)?.sessionId;

/** The session that the refresh cookie names, and the generation of the cookie. */
export const refreshTokenOf = ({ keyring, cookies }: Service, request: FastifyRequest) =>
  readRefreshToken(keyring.refreshTokens, request.cookies[cookies.refresh] ?? '');
