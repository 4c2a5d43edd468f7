import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import helmet from 'helmet';
import { isForGuardedHost } from '../../contract/pages.ts';
import { days } from '../../contract/units.ts';

/** Path of the scripts and styles of pages. */
export const assetPrefix = '/assets/';

/**
 * Sends security headers with every response (OWASP HTTP Headers Cheat Sheet): assets get those that apply to a script or
 * style, and every other response gets all of them. No page of ours needs an exception, but a form that goes to an
 * application does (`allowFormPost` in `openid/provider/next-step.ts`). On the host of a guarded application, they would
 * change how browsers treat the application.
 */
export function sendSecurityHeaders(app: FastifyInstance, { secure }: { secure: boolean }): void {
  const headers = { ...helmetHeaders(secure), 'permissions-policy': closedFeatures };
  const ofAsset = assetHeaders(headers);
  app.addHook('onRequest', (request, reply, done) => {
    if (!isForGuardedHost(request.url)) reply.headers(request.url.startsWith(assetPrefix) ? ofAsset : headers);
    done();
  });
}

/** A first visit loads seven assets: without HTTP/2, the headers for documents would be a twentieth of its bytes. */
function assetHeaders(all: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const names = [
    'cross-origin-resource-policy',
    'referrer-policy',
    'strict-transport-security',
    'x-content-type-options',
    'x-frame-options',
  ];
  const kept = Object.entries(all).filter(([name]) => names.includes(name));
  // A worker's script has a policy of its own; ours loads nothing.
  return { ...Object.fromEntries(kept), 'content-security-policy': "default-src 'none';frame-ancestors 'none'" };
}

/** The headers that Helmet sets, taken once from a dummy response. */
function helmetHeaders(secure: boolean) {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  const say = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", 'data:'],
        fontSrc: ["'self'"],
        connectSrc: ["'self'"],
        manifestSrc: ["'self'"],
        formAction: ["'self'"],
        baseUri: ["'none'"],
        objectSrc: ["'none'"],
        frameAncestors: ["'none'"],
        requireTrustedTypesFor: ["'script'"],
        reportUri: ['/csp-report'],
      },
    },
    strictTransportSecurity: secure && { maxAge: days(730) / 1000, includeSubDomains: true },
    referrerPolicy: { policy: 'no-referrer' },
    crossOriginOpenerPolicy: { policy: 'same-origin' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    xFrameOptions: { action: 'deny' },
  });
  say(request, response, (problem) => {
    if (problem) throw problem;
  });
  return response.getHeaders();
}

const closedFeatures = [
  'accelerometer',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'usb',
]
  .map((feature) => `${feature}=()`)
  .join(', ');
