import { SignJWT } from 'jose';
import { hours, minutes, seconds } from '../../../contract/units.ts';
import { type DeliveryLog, type Outcome, pauses, startWorker, type Worker } from '../../../delivery/worker.ts';
import { randomSecret } from '../../../security/macs.ts';
import type { Service } from '../../../server/service.ts';
import { type Client, findClient } from '../../../store/applications/clients.ts';
import { clientsToNotify, type LogoutNoticesTable, logoutQueue } from '../../../store/applications/logout-notices.ts';

/** An application that takes longer gets the notice again. */
const respondsWithin = seconds(5);
/** Longer than one delivery. */
const leaseFor = seconds(30);
const [maxConcurrent, maxConcurrentOfClient] = [100, 20];
/** Pauses after each failure; after the last, the application's own sessions must expire. */
const steps = [seconds(5), seconds(30), minutes(2), minutes(10), hours(1), hours(6), hours(24)];
const pauseAfter = pauses(steps, 0);

type Deps = Pick<Service, 'store' | 'now' | 'keyring' | 'config'> & { readonly log: DeliveryLog };
type LogoutOutcome = 'accepted' | 'postponed' | 'gaveUp' | 'released';

/** Notifies applications that sign-ins have ended; any number of nodes may do so. A client is a lane. */
export function notifyOfLogouts(deps: Deps): Worker<LogoutOutcome> {
  const { store, now, log } = deps;
  const stopping = new AbortController();
  return startWorker<LogoutNoticesTable, string, LogoutOutcome>({
    what: 'logout notice',
    queue: logoutQueue,
    ...{ store, now, log, leaseFor },
    lanes: async () => (await clientsToNotify(store, now())).map((name) => ({ name })),
    room: ({ sending, total }) => Math.min(maxConcurrentOfClient - sending, maxConcurrent - total),
    onStart: (at) => logoutQueue.endOutdatedPauses(store, { now: at, longestPause: Math.max(...steps) }),
    send: (notice) => deliver(deps, { notice, stopping: stopping.signal }),
    abandon: () => stopping.abort(),
  });
}

async function deliver(
  deps: Deps,
  { notice, stopping }: { notice: LogoutNoticesTable; stopping: AbortSignal },
): Promise<Outcome<LogoutOutcome>> {
  const { client_id: id, attempts } = notice;
  const client = await findClient(deps.store, id);
  const to = client?.backchannelLogoutUri;
  if (!client || !to) return { name: 'accepted', end: 'done' };
  const error = await send(to, { token: await signLogoutToken(deps, { client, notice }), stopping });
  if (error === undefined) return { name: 'accepted', end: 'done' };
  if (stopping.aborted) return { name: 'released', end: 'release', error };
  deps.log.warn({ client: id, attempts, problem: error }, 'logout notice not delivered');
  if (attempts > steps.length) return { name: 'gaveUp', end: 'giveUp', error };
  return { name: 'postponed', end: 'postpone', dueAt: deps.now() + pauseAfter({ attempts, random: 0 }), error };
}

/** Why an application did not accept a logout token; undefined if it did. Follows no redirects. */
async function send(
  uri: string,
  { token, stopping }: { token: string; stopping: AbortSignal },
): Promise<string | undefined> {
  try {
    const response = await fetch(uri, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'Vestibule' },
      body: new URLSearchParams({ logout_token: token }).toString(),
      redirect: 'manual',
      signal: AbortSignal.any([AbortSignal.timeout(respondsWithin), stopping]),
    });
    await response.body?.cancel();
    return response.ok ? undefined : `HTTP ${response.status}`;
  } catch (error) {
    const { name, cause } = error as Error & { cause?: NodeJS.ErrnoException };
    return cause?.code ?? name;
  }
}

const lifetime = minutes(2);
const event = 'http://schemas.openid.net/event/backchannel-logout';

/** Signs a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.4) as the client's ID tokens. */
async function signLogoutToken(
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
