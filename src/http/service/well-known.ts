import type { FastifyInstance } from 'fastify';
import * as contract from '../../contract/service/well-known.ts';
import type { Service } from '../../server/service.ts';
import { mountOn } from '../mount.ts';

/**
 * Redirects password managers to the page that changes a password (W3C, "A Well-Known URL for Changing Passwords"), and
 * lists related origins for browsers.
 */
export function wellKnownRoutes(app: FastifyInstance, service: Service): void {
  const mount = mountOn(app, service);

  mount(contract.changePassword, ({ reply }) => void reply.header('location', '/account/security/#change-password'));

  const { relyingParty, WEBAUTHN_RELATED_ORIGINS } = service.config;
  if (relyingParty && WEBAUTHN_RELATED_ORIGINS.length > 0)
    mount(contract.relatedOrigins, () => ({ origins: [...relyingParty.origins] }));
}
