import type { WithParts } from '../../../access/account-part.ts';
import { shutOut } from '../../../access/shut-out.ts';
import { refuse } from '../../../contract/failures.ts';
import { defaultLanguage, type LanguageCode } from '../../../contract/languages.ts';
import { iso } from '../../../contract/units.ts';
import type { Service } from '../../../server/service.ts';
import { forgetDevice, forgetOtherDevices } from '../../../store/access/devices.ts';
import type { Owner } from '../../../store/access/session-owner.ts';
import { endSession as end, findSession, isLive, listSessions } from '../../../store/access/sessions.ts';
import { listActivity, recordActivity } from '../../../store/accounts/activity-log.ts';
import { deviceName } from '../../../store/browser-names.ts';
import type { StoreTransaction } from '../../../store/database.ts';
import * as contract from './sessions.contract.ts';

/** The owner who reads a list, and the language of its place names. */
interface ListQuery {
  readonly accountId: string;
  readonly locale?: LanguageCode | undefined;
}

type OwnedEntry = Owner & { readonly id: string };

function placeOf({ geoip }: Service, ip: string, locale: LanguageCode = defaultLanguage) {
  const place = geoip.of(ip, locale);
  return place !== undefined && { place };
}

/** Anyone with the password can start any number of sessions, and naming the device of each takes time. */
const maxListed = 100;

/** The requesting session, and then the account's most recently used ones. */
export async function sessionsOf(
  service: Service,
  { accountId, sessionId, locale }: { sessionId: string } & ListQuery,
) {
  const now = service.now();
  const newest = await listSessions(service.store, { accountId, now, max: maxListed });
  const own = newest.find(({ id }) => id === sessionId) ?? (await findSession(service.store, sessionId));
  const others = newest.filter(({ id }) => id !== sessionId);
  return [...(own ? [own] : []), ...others].map((session) => ({
    id: session.id,
    current: session.id === sessionId,
    device: deviceName(session.user_agent),
    ...placeOf(service, session.ip, locale),
    ip: session.ip,
    user_agent: session.user_agent,
    created_at: iso(session.created_at),
    last_seen_at: iso(session.rotated_at),
    expires_at: iso(session.expires_at),
  }));
}

const deviceOf = async (trx: StoreTransaction, sessionId: string): Promise<string | undefined> =>
  (await findSession(trx, sessionId))?.device_hash ?? undefined;

/** Ends one session, whose browser then counts as new. Refuses another account's session with `not_found`. */
export async function endSession(
  trx: StoreTransaction,
  { account, accountId, sessionId, id, visitor, at, parts }: OwnedEntry & WithParts,
): Promise<void> {
  const session = await findSession(trx, id);
  if (!session || session.account_id !== accountId || !isLive(session, at))
    throw refuse(contract.endSession, 'not_found');
  const isOwn = id === sessionId;
  if (isOwn) await end(trx, { id, reason: 'signed_out', at });
  else {
    await shutOut(trx, { account, cause: 'session_ended', session: id, at, parts });
    const { device_hash: tokenHash } = session;
    if (tokenHash !== null && tokenHash !== (await deviceOf(trx, sessionId)))
      await forgetDevice(trx, { accountId, tokenHash });
  }
  await recordActivity(trx, { accountId, at, visitor, kind: isOwn ? 'signed_out' : 'session_ended' });
}

/** Ends every session except the requesting one; every other browser then counts as new. */
export async function endOtherSessions(
  trx: StoreTransaction,
  { account, accountId, sessionId, visitor, at, parts }: Owner & WithParts,
): Promise<void> {
  const ended = await shutOut(trx, { account, cause: 'sessions_ended', session: sessionId, at, parts });
  await forgetOtherDevices(trx, { accountId, except: await deviceOf(trx, sessionId) });
  if (ended.sessions > 0) await recordActivity(trx, { accountId, at, visitor, kind: 'sessions_ended' });
}

interface ActivityPageQuery extends ListQuery {
  readonly before?: string | undefined;
  readonly limit: number;
}

/** A page of the account's activity log, newest first. */
export async function activityOf(service: Service, { accountId, before, limit, locale }: ActivityPageQuery) {
  const found = await listActivity(service.store, { accountId, before, limit: limit + 1 });
  const records = found.slice(0, limit).map(({ id, at, kind, ip, user_agent }) => ({
    id,
    at: iso(at),
    kind,
    ip,
    user_agent,
    device: deviceName(user_agent),
    ...placeOf(service, ip, locale),
  }));
  return { records, next: found.length > limit ? (records.at(-1)?.id ?? null) : null };
}
