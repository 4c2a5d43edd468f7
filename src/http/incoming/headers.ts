import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import helmet from 'helmet';
import { days } from '../../contract/durations.ts';

/** Sends the same security headers with every response (OWASP HTTP Headers Cheat Sheet); no page needs an exception. */
export function sendSecurityHeaders(app: FastifyInstance, { secure }: { secure: boolean }): void {
  const headers = { ...helmetHeaders(secure), 'permissions-policy': closedFeatures };
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
}

/** The headers that Helmet sets, taken once from a dummy response. */
function helmetHeaders(secure: boolean) {
  const request = new IncomingMessage(new Socket());
  const answer = new ServerResponse(request);
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
  say(request, answer, (problem) => {
    if (problem) throw problem;
  });
  return answer.getHeaders();
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
