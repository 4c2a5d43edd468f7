import type { JWK, Provider } from 'oidc-provider';
import type { SigningKey } from '../../../security/access-tokens.ts';
import type { Service } from '../../../server/service.ts';
import { hasClients } from '../../../store/applications/clients.ts';
import { openProvider } from './open-provider.ts';

/** Returns the provider for the keys in use; undefined, without loading the library, while there are no clients. */
export function currentProvider(service: Service): () => Promise<Provider | undefined> {
  let current: { readonly keys: string; readonly provider: Promise<Provider> } | undefined;
  return async () => {
    if (!current && !(await hasClients(service.store))) return undefined;
    await service.keyring.ensureIdTokenKey();
    const { accessTokens, idTokens } = service.keyring;
    const names = [...accessTokens, ...idTokens].map(({ kid }) => kid).join(' ');
    if (current?.keys !== names) {
      const keys = [...accessTokens.map(jwkOf('ES256')), ...idTokens.map(jwkOf('RS256'))];
      current = { keys: names, provider: openProvider(service, keys) };
      current.provider.catch(() => {
        current = undefined;
      });
    }
    return current.provider;
  };
}

const jwkOf =
  (alg: 'ES256' | 'RS256') =>
  ({ kid, privateKey }: SigningKey): JWK =>
    ({ ...privateKey.export({ format: 'jwk' }), kid, alg, use: 'sig' }) as JWK;
