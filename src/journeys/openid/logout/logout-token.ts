import { SignJWT } from 'jose';
import { minutes } from '../../../contract/durations.ts';
import { randomSecret } from '../../../security/secrets.ts';
import type { Service } from '../../../server/service.ts';
import type { Client } from '../../../store/applications/clients.ts';
import type { LogoutNoticesTable } from '../../../store/applications/logout-notices.ts';

const lifetime = minutes(2);
const event = 'http://schemas.openid.net/event/backchannel-logout';

/** Signs a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.4) as the client's ID tokens. */
export async function signLogoutToken(
  { keyring, config, now }: Pick<Service, 'keyring' | 'config' | 'now'>,
  { client, notice }: { client: Pick<Client, 'id' | 'signing'>; notice: Pick<LogoutNoticesTable, 'subject' | 'sid'> },
): Promise<string> {
  if (client.signing === 'RS256') await keyring.ensureIdTokenKey();
  const [key] = client.signing === 'RS256' ? keyring.idTokens : keyring.accessTokens;
  if (!key) throw new Error(`no key signs ${client.signing}`);
  const issuedAt = Math.floor(now() / 1000);
  return new SignJWT({ sid: notice.sid, events: { [event]: {} } })
    .setProtectedHeader({ alg: client.signing, typ: 'logout+jwt', kid: key.kid })
    .setIssuer(config.PUBLIC_URL)
    .setSubject(notice.subject)
    .setAudience(client.id)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetime / 1000)
    .setJti(randomSecret(128))
    .sign(key.privateKey);
}
