import { randomBytes } from 'node:crypto';
import cookie from '@fastify/cookie';
import fastifyStatic from '@fastify/static';
import swagger from '@fastify/swagger';
import Fastify, { type FastifyInstance, LogController } from 'fastify';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import { bodyLimit, hours, minutes, seconds } from '../contract/constants.ts';
import { developmentInboxRoutes } from '../development-inbox/inbox.routes.ts';
import type { Inbox } from '../development-inbox/inbox.ts';
import { openAddressLimit } from '../http/address-limits.ts';
import { readBodies } from '../http/bodies.ts';
import { cookiesFor } from '../http/cookies.ts';
import { type Page, serveDocuments } from '../http/documents.ts';
import { openFairGate } from '../http/fair-gate.ts';
import { sendSecurityHeaders } from '../http/headers.ts';
import { serviceRoutes } from '../http/health.ts';
import { answerBrokenRequest, answerFailure, handleFailures } from '../http/problems.ts';
import { accountRoutes } from '../journeys/account/account.routes.ts';
import { confirmPhoneRoutes } from '../journeys/confirm-phone/confirm-phone.routes.ts';
import { wayRoutes } from '../journeys/last-place/last-place.routes.ts';
import { readRedirectRules } from '../journeys/last-place/redirect-rules.ts';
import { recoverPasswordRoutes } from '../journeys/recover-password/recover-password.routes.ts';
import { registerRoutes } from '../journeys/register/register.routes.ts';
import { sessionRoutes } from '../journeys/session/session.routes.ts';
import { signInRoutes } from '../journeys/sign-in/sign-in.routes.ts';
import type { Calls } from '../phone-calls/calls.ts';
import { spokenIntroduction } from '../phone-calls/spoken-introduction.ts';
import { openPasswords } from '../security/passwords.ts';
import type { Store } from '../store/database.ts';
import { openRotations } from '../store/rotations.ts';
import { addressMatcher, type Config } from './config.ts';
import type { Keyring } from './keyring.ts';
import type { Build } from './rendered-pages.ts';

/** What the service runs on; opened by `server.ts`, and by tests with a clock of their own. */
export interface Foundation {
  readonly config: Config;
  readonly store: Store;
  readonly keyring: Keyring;
  readonly outbox: { wake(): void; usable(): boolean };
  readonly calls: Calls;
  /** Only without a mail server. */
  readonly inbox: Inbox | undefined;
  readonly pages: readonly Page[];
  readonly build: Build;
  /** Folders with hashed assets: today's build, and the previous one for tabs that are still open. */
  readonly assets: readonly string[];
  /** Milliseconds since the epoch. */
  now(): number;
}

/** Puts the whole service together: headers, limits, and the list of journeys. Does not listen yet. */
export async function openApp(foundation: Foundation): Promise<FastifyInstance> {
  const { config, store, now } = foundation;
  const app = Fastify({
    logger: { level: config.LOG_LEVEL, base: null },
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit,
    genReqId: () => randomBytes(5).toString('hex').toUpperCase(),
    trustProxy: config.TRUSTED_PROXIES.length > 0 && addressMatcher(config.TRUSTED_PROXIES),
    // An address that cannot be read never reaches a route; it is answered like every other failure.
    frameworkErrors: answerFailure,
    requestTimeout: seconds(15),
    // A connection that says nothing; above keep-alive's own limit of 72 seconds.
    connectionTimeout: seconds(75),
    clientErrorHandler: answerBrokenRequest,
    http: { headersTimeout: seconds(10), connectionsCheckingInterval: seconds(1) },
    forceCloseConnections: 'idle',
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 200 },
  });
  const cookies = cookiesFor(config.PUBLIC_URL);

  // Schemas on routes are for the OpenAPI document: `mount` reads and writes by them itself, to keep each field's code.
  app.setValidatorCompiler(() => (value) => ({ value }));
  app.setSerializerCompiler(() => JSON.stringify);
  logCalls(app);
  handleFailures(app);
  readBodies(app);
  await sendSecurityHeaders(app, { secure: cookies.secure });
  await app.register(cookie);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: config.PRODUCT_NAME, version: foundation.build.id },
      servers: [{ url: config.PUBLIC_URL }],
      components: { securitySchemes: { accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
    },
    transform: jsonSchemaTransform,
  });
  await app.register(fastifyStatic, {
    root: [...foundation.assets],
    prefix: '/assets/',
    preCompressed: true,
    immutable: true,
    maxAge: '365d',
    index: false,
  });

  const deps = {
    ...foundation,
    settings: config,
    cookies,
    gate: openFairGate(),
    passwords: openPasswords(config.PASSWORD_PEPPER),
    rotate: openRotations(store),
    introduction: spokenIntroduction(config.PRODUCT_NAME),
    redirectRules: readRedirectRules(config.REDIRECT_RULES, config.PUBLIC_URL),
    signInFailures: openAddressLimit({ limit: config.SIGN_IN_FAILURES_PER_ADDRESS, within: minutes(15), now }),
    registrationGuesses: openAddressLimit({ limit: config.REGISTRATION_GUESSES_PER_ADDRESS, within: minutes(15), now }),
    newAccounts: openAddressLimit({ limit: config.ACCOUNTS_PER_ADDRESS, within: hours(1), now }),
  };

  sessionRoutes(app, deps);
  signInRoutes(app, deps);
  registerRoutes(app, deps);
  if (config.PHONE_CONFIRMATION !== 'off') confirmPhoneRoutes(app, deps);
  recoverPasswordRoutes(app, deps);
  wayRoutes(app, deps);
  accountRoutes(app, deps);
  serviceRoutes(app, deps);
  if (foundation.inbox) developmentInboxRoutes(app, { inbox: foundation.inbox, settings: config });
  serveDocuments(app, deps);
  return app;
}

/** One line a call: who, what, when, where. The route, not the URL, since a query may hold an address or a secret. */
function logCalls(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    const { method, ip, routeOptions } = request;
    const line = { method, route: routeOptions.url, status: reply.statusCode, ip, ms: Math.round(reply.elapsedTime) };
    if (method === 'GET') request.log.debug(line, 'call');
    else request.log.info(line, 'call');
  });
}
