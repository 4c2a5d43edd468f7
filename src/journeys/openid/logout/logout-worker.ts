import { hours, minutes, seconds } from '../../../contract/durations.ts';
import type { Service } from '../../../server/service.ts';
import { findClient } from '../../../store/applications/clients.ts';
import {
  claimLogoutNotices,
  endOutdatedNoticePauses,
  type LogoutNoticesTable,
  postponeLogoutNotice,
  removeLogoutNotice,
  shiftLogoutNotices,
} from '../../../store/applications/logout-notices.ts';
import { watchClock } from '../../../store/clock-changes.ts';
import { signLogoutToken } from './logout-token.ts';

const pollEvery = seconds(1);
/** An application that takes longer gets the notice again. */
const respondsWithin = seconds(5);
/** Longer than one delivery, so that no other node repeats it meanwhile. */
const leaseFor = seconds(30);
const [atOnce, atOnceOfClient] = [100, 20];
/** Pauses after each failure; after the last, the application's own sessions must expire. */
const pauses = [seconds(5), seconds(30), minutes(2), minutes(10), hours(1), hours(6), hours(24)];

type Working = Pick<Service, 'store' | 'now' | 'keyring' | 'config'> & {
  readonly log: { warn(fields: object, message: string): void };
};

/** Notifies applications that sign-ins have ended; any number of nodes may do so. Returns a function that stops it. */
export function notifyOfLogouts(service: Working): () => Promise<void> {
  let claiming: Promise<void> | undefined;
  let isUnreachable = false;
  const underWay = new Set<Promise<void>>();
  /** How many notices each client is getting. */
  const busy = new Map<string, number>();
  const followClock = watchClock({
    now: service.now,
    onStart: (step) => endOutdatedNoticePauses(service.store, { longestPause: Math.max(...pauses), ...step }),
    onSetBack: (step) => shiftLogoutNotices(service.store, step),
  });

  async function claimDue(): Promise<void> {
    const { store, now } = service;
    await followClock();
    const claim = { lease: leaseFor, most: atOnce, mostOfClient: atOnceOfClient, except: [...busy.keys()] };
    const due = await claimLogoutNotices(store, { ...claim, now: now() });
    for (const notice of due) track(notice);
  }

  function track(notice: LogoutNoticesTable): void {
    const { client_id: client } = notice;
    busy.set(client, (busy.get(client) ?? 0) + 1);
    const delivery = deliver(service, notice)
      // Its lease expires, and it is tried again.
      .catch((error: unknown) => service.log.warn({ err: error, client }, 'cannot record a logout notice'))
      .finally(() => {
        underWay.delete(delivery);
        const left = (busy.get(client) ?? 0) - 1;
        if (left > 0) busy.set(client, left);
        else busy.delete(client);
      });
    underWay.add(delivery);
  }

  const timer = setInterval(() => {
    claiming ??= claimDue()
      .then(
        () => {
          isUnreachable = false;
        },
        (error: unknown) => {
          if (!isUnreachable) service.log.warn({ err: error }, 'cannot read logout notices');
          isUnreachable = true;
        },
      )
      .finally(() => {
        claiming = undefined;
      });
  }, pollEvery).unref();
  return async () => {
    clearInterval(timer);
    await claiming;
    await Promise.all(underWay);
  };
}

async function deliver(service: Working, notice: LogoutNoticesTable): Promise<void> {
  const { store, log } = service;
  const client = await findClient(store, notice.client_id);
  const to = client?.backchannelLogoutUri;
  const problem = client && to ? await send(to, await signLogoutToken(service, { client, notice })) : undefined;
  const pause = pauses[notice.attempts - 1];
  if (problem === undefined) return void (await removeLogoutNotice(store, notice.id));
  log.warn({ client: notice.client_id, attempts: notice.attempts, problem }, 'logout notice not delivered');
  if (pause === undefined) return void (await removeLogoutNotice(store, notice.id));
  await postponeLogoutNotice(store, { id: notice.id, until: service.now() + pause });
}

/** Why an application did not accept a logout token; undefined if it did. Follows no redirects. */
async function send(uri: string, token: string): Promise<string | undefined> {
  try {
    const response = await fetch(uri, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'Vestibule' },
      body: new URLSearchParams({ logout_token: token }).toString(),
      redirect: 'manual',
      signal: AbortSignal.timeout(respondsWithin),
    });
    await response.body?.cancel();
    return response.ok ? undefined : `HTTP ${response.status}`;
  } catch (error) {
    const { name, cause } = error as Error & { cause?: NodeJS.ErrnoException };
    return cause?.code ?? name;
  }
}
