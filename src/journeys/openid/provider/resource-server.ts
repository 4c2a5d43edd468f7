import type { errors } from 'oidc-provider';
import { allScopes } from '../../../contract/openid-scopes.ts';
import type { Service } from '../../../server/service.ts';
import { findClient } from '../../../store/applications/clients.ts';
import { lifetimes } from './lifetimes.ts';

interface WantedResource {
  readonly resource: string;
  readonly client: { readonly clientId: string };
  readonly errors: typeof errors;
}

/** An API that an access token is for. Never our own: its tokens begin sessions' requests. */
export async function resourceServer(
  service: Pick<Service, 'store' | 'config'>,
  { resource, client, errors }: WantedResource,
) {
  const known = await findClient(service.store, client.clientId);
  const isOurs = URL.parse(resource)?.origin === service.config.PUBLIC_URL;
  if (isOurs || !known?.resources.includes(resource)) throw new errors.InvalidTarget();
  return {
    audience: resource,
    scope: allScopes.join(' '),
    accessTokenFormat: 'jwt' as const,
    accessTokenTTL: lifetimes.AccessToken,
    jwt: { sign: { alg: 'ES256' as const } },
  };
}
