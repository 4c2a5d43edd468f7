import cookie from '@fastify/cookie';
import Fastify, { type FastifyInstance, LogController } from 'fastify';
import { isLoopbackHost } from '../contract/pages.ts';
import { seconds } from '../contract/units.ts';
import { developmentInboxRoutes } from '../development-inbox/inbox.routes.ts';
import { alarmsRoutes } from '../devices/alarms/alarms.routes.ts';
import { computersRoutes, seenDevicesRoutes } from '../devices/computers/computers.routes.ts';
import { bodyLimit, readBodies } from '../http/incoming/bodies.ts';
import {
  closeConnectionsWhileDraining,
  limitUnreadResponses,
  rejectMultipleHosts,
  routedUrl,
} from '../http/incoming/connections.ts';
import { openProxyCheck, readVisitors, watchSources } from '../http/incoming/visitor.ts';
import { endpointsOf, mountOn } from '../http/mount.ts';
import { openApiRoute } from '../http/openapi/openapi.ts';
import { redirectToPages, routesOf, serveDocuments } from '../http/pages/documents.ts';
import { serveIcons } from '../http/pages/icons.ts';
import { handleFailures, maxHeaderSize, refuseBrokenRequest, sendFailure } from '../http/problems.ts';
import { serveAssets } from '../http/responses/assets.ts';
import { sendSecurityHeaders } from '../http/responses/security-headers.ts';
import { buildRoutes, healthRoutes, jwksRoute, wellKnownRoutes } from '../http/service/service.ts';
import { cspReportRoute } from '../http/telemetry/csp-reports.ts';
import { countRequests, measureRequests } from '../http/telemetry/metrics.ts';
import { keepReferences, logRequests } from '../http/telemetry/request-log.ts';
import { accountRoutes } from '../journeys/account/account.routes.ts';
import { confirmPhoneRoutes } from '../journeys/confirm-phone/confirm-phone.routes.ts';
import { emailWebhookRoutes } from '../journeys/email-webhooks/email-webhooks.routes.ts';
import { forwardAuthRoutes } from '../journeys/forward-auth/forward-auth.routes.ts';
import { lastPlaceRoutes } from '../journeys/last-place/last-place.routes.ts';
import { openIdRoutes } from '../journeys/openid/openid.routes.ts';
import { operatorsRoutes } from '../journeys/operators/operators.routes.ts';
import { passkeysRoutes } from '../journeys/passkeys/passkeys.routes.ts';
import { recoverPasswordRoutes } from '../journeys/recover-password/recover-password.routes.ts';
import { registerRoutes } from '../journeys/register/register.routes.ts';
import { secondStepRoutes } from '../journeys/second-step/second-step.routes.ts';
import { sessionRoutes } from '../journeys/session/session.routes.ts';
import { signInRoutes } from '../journeys/sign-in/sign-in.routes.ts';
import { signInByCodeRoutes } from '../journeys/sign-in-by-code/sign-in-by-code.routes.ts';
import { stepUpRoutes } from '../journeys/step-up/step-up.routes.ts';
import { randomFew } from '../security/macs.ts';
import { logOutput } from './log-output.ts';
import { receiveBounces } from './senders.ts';
import type { Service } from './service.ts';
import { traceRequests } from './tracing.ts';

/** Assembles the HTTP server: hooks, limits and the routes of every journey. Does not listen yet. */
export async function openApp(service: Service): Promise<FastifyInstance> {
  const { config, cookies } = service;
  const isProxy = openProxyCheck(config.TRUSTED_PROXIES);
  const app: FastifyInstance = Fastify({
    logger: { level: config.LOG_LEVEL, base: null, stream: logOutput },
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit,
    genReqId: () => randomFew(5).toString('hex').toUpperCase(),
    trustProxy: config.TRUSTED_PROXIES.length > 0 && isProxy,
    // A malformed URL never reaches a route; its response has the same form as every other failure.
    frameworkErrors: sendFailure,
    requestTimeout: seconds(15),
    // Closes silent connections; must exceed the keep-alive timeout of 72 seconds.
    connectionTimeout: seconds(75),
    clientErrorHandler: (error, socket) => refuseBrokenRequest(app, error, socket),
    rewriteUrl: routedUrl,
    http: { maxHeaderSize, headersTimeout: seconds(10), connectionsCheckingInterval: seconds(1) },
    forceCloseConnections: 'idle',
    // While the server closes, existing connections are still served; the response asks the client to disconnect.
    return503OnClosing: false,
    schemaController: { compilersFactory: { buildValidator: withoutSchemas, buildSerializer: withoutSchemas } },
    // The maximum size of a request head, so that an overlong path gets the same 404 as any other unknown path.
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: maxHeaderSize },
  });

  if (service.tracing) traceRequests(app, { tracing: service.tracing, isTrusted: isProxy });
  readVisitors(app);
  watchSources(app, service.sources);
  closeConnectionsWhileDraining(app, service.draining);
  limitUnreadResponses(app);
  rejectMultipleHosts(app);
  logRequests(app);
  keepReferences(app, service);
  countRequests(app, service.counters);
  if (service.metrics) measureRequests(app, service.metrics);
  const mounted = endpointsOf(app);
  const routes = routesOf(app);
  handleFailures(app);
  readBodies(app);
  sendSecurityHeaders(app, { secure: cookies.secure });
  await app.register(cookie);
  serveAssets(app, service.assets);

  const mount = mountOn(app, service);
  redirectToPages(app, service);
  serveIcons(app);
  sessionRoutes(mount, service);
  signInRoutes(mount, service);
  if (config.MAIL_CODE_SIGN_IN === 'on') signInByCodeRoutes(mount, service);
  if (config.relyingParty) passkeysRoutes(mount, service);
  registerRoutes(mount, service);
  if (config.PHONE_CONFIRMATION !== 'off') confirmPhoneRoutes(mount, service);
  if (config.SECOND_STEP !== 'off') secondStepRoutes(mount, service);
  stepUpRoutes(mount, service);
  recoverPasswordRoutes(mount, service);
  lastPlaceRoutes(mount, service);
  accountRoutes(mount, service);
  if (config.DEVICES === 'on') {
    computersRoutes(app, service);
    alarmsRoutes(app, service);

    if (config.CONSOLE === 'on') seenDevicesRoutes(app, service);
  }
  if (config.CONSOLE === 'on') operatorsRoutes(app, service);
  emailWebhookRoutes(app, service);
  forwardAuthRoutes(app, service);
  openIdRoutes(app, service);
  healthRoutes(mount, service);
  jwksRoute(mount, service);
  wellKnownRoutes(mount, service);
  buildRoutes(mount, service);
  openApiRoute(app, service, mounted);
  cspReportRoute(app, service.now);
  if (service.inbox && isLoopbackHost(new URL(config.PUBLIC_URL).hostname)) {
    developmentInboxRoutes(app, { inbox: service.inbox, settings: config, pages: service.pages });
  }
  serveDocuments(app, service, routes);
  receiveBounces(app, service);
  return app;
}

/** The contract validates requests and responses; Fastify's unused schema compilers would be a tenth of the loaded code. */
const withoutSchemas = () => () => {
  throw new Error('Routes use endpoints of the contract instead of schemas');
};
