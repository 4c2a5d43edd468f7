import type { IncomingMessage } from 'node:http';
import type { errors, Provider } from 'oidc-provider';
import { clientSecretHash } from '../../../security/client-secrets.ts';
import { equal } from '../../../security/secrets.ts';
import type { Service } from '../../../server/service.ts';
import { attemptFailed, lockedUntil, lockoutOfClient, reserveAttempt } from '../../../store/access/lockouts.ts';
import { listClientSecrets } from '../../../store/applications/client-secrets.ts';
import { browserRequestOf } from './browser-request.ts';

interface HashedClient {
  readonly clientId: string;
  compareClientSecret(secret: string): Promise<boolean>;
}

/**
 * Makes a provider compare secrets with our hashes, in constant time. Wrong secrets from one address lock that address out
 * of this client, so strangers cannot lock out the application itself. Only wrong secrets count: an application may send
 * many requests in parallel.
 */
export function compareHashedSecrets(
  Provider: { readonly ctx: { readonly req: IncomingMessage } | undefined },
  provider: Provider,
  { store, now, InvalidClientAuth }: Pick<Service, 'store' | 'now'> & Pick<typeof errors, 'InvalidClientAuth'>,
): void {
  const { prototype } = provider.Client as unknown as { prototype: HashedClient };
  prototype.compareClientSecret = async function (secret) {
    const { clientId } = this;
    const key = lockoutOfClient(clientId, Provider.ctx ? browserRequestOf(Provider.ctx.req).source : '');
    if ((await lockedUntil(store, key, now())) > 0)
      throw new InvalidClientAuth('too many attempts with a wrong secret');
    const presented = Buffer.from(clientSecretHash(clientId, secret));
    const isKnown = (await listClientSecrets(store, clientId))
      .map(({ hash }) => equal(Buffer.from(hash), presented))
      .some(Boolean);
    if (!isKnown && (await reserveAttempt(store, key, now())).state === 'reserved')
      await attemptFailed(store, key, now());
    return isKnown;
  };
}
