import type { AdapterPayload } from 'oidc-provider';
import { isLoopbackHost } from '../../../contract/loopback.ts';
import type { Client } from '../../../store/applications/clients.ts';

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

/** A client as the provider reads it (OpenID Connect Dynamic Client Registration 1.0, section 2). */
export const metadataOf = (client: Client): AdapterPayload => ({
  client_id: client.id,
  client_name: client.name,
  application_type: isNative(client) ? 'native' : 'web',
  redirect_uris: [...client.redirectUris],
  response_types: client.redirectUris.length > 0 ? ['code'] : [],
  grant_types: [
    ...(client.redirectUris.length > 0 ? ['authorization_code'] : []),
    ...(client.redirectUris.length > 0 || client.usesDeviceFlow ? ['refresh_token'] : []),
    ...(client.isService ? ['client_credentials'] : []),
    ...(client.usesDeviceFlow ? [deviceGrant] : []),
  ],
  token_endpoint_auth_method: client.isPublic ? 'none' : 'client_secret_basic',
  // The provider never sees a secret: `compareClientSecret` compares hashes.
  ...(!client.isPublic && { client_secret: 'see client_secrets' }),
  id_token_signed_response_alg: client.signing,
});

/** An app on a telephone or a desk, whose loopback port is free (RFC 8252, section 7.3). */
const isNative = ({ isPublic, redirectUris }: Client): boolean =>
  isPublic &&
  redirectUris.some((uri) => {
    const { protocol, hostname } = new URL(uri);
    return !/^https?:$/.test(protocol) || (protocol === 'http:' && isLoopbackHost(hostname));
  });
