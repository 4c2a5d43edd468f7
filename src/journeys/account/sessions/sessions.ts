import type { WithParts } from '../../../access/account-part.ts';
import { shutOut } from '../../../access/shut-out.ts';
import { refuse } from '../../../contract/failures.ts';
import { defaultLanguage, type LanguageCode } from '../../../contract/languages.ts';
import { iso } from '../../../contract/units.ts';
import { sha256 } from '../../../security/macs.ts';
import type { Service } from '../../../server/service.ts';
import {
  type DevicesTable,
  deviceLifetime,
  forgetDevice as forget,
  listDevices,
} from '../../../store/access/devices.ts';
import type { Owner } from '../../../store/access/session-owner.ts';
import {
  endSession as end,
  findSession,
  isLive,
  listSessions,
  type SessionsTable,
} from '../../../store/access/sessions.ts';
import { listActivity, recordActivity } from '../../../store/accounts/activity-log.ts';
import { deviceName } from '../../../store/browser-names.ts';
import type { StoreTransaction } from '../../../store/database.ts';
import * as contract from './sessions.contract.ts';

/** The owner who reads a list, and the language of its place names. */
interface ListQuery {
  readonly accountId: string;
  readonly locale?: LanguageCode | undefined;
}

interface DeviceQuery extends ListQuery {
  /** The device cookie, if the browser has one. */
  readonly deviceToken: string | undefined;
}

type OwnedEntry = Owner & { readonly id: string };

function placeOf({ geoip }: Service, ip: string | null, locale: LanguageCode = defaultLanguage) {
  const place = ip === null ? undefined : geoip.of(ip, locale);
  return place !== undefined && { place };
}

/** Anyone with the password can start any number of sessions, and naming the device of each takes time. */
const maxListed = 100;

/** The account's most recently used sessions, and always the requesting one. */
export async function sessionsOf(
  service: Service,
  { accountId, sessionId, deviceToken, locale }: { accountId: string; sessionId: string } & DeviceQuery,
) {
  const now = service.now();
  const newest = await listSessions(service.store, { accountId, now, max: maxListed });
  const own = newest.some(({ id }) => id === sessionId) ? undefined : await findSession(service.store, sessionId);
  const devices = await listDevices(service.store, { accountId, since: now - deviceLifetime, max: maxListed });
  const deviceHashOf = matchDevices(devices, deviceToken);
  return [...(own ? [own] : []), ...newest].map((session) => ({
    id: session.id,
    current: session.id === sessionId,
    device: deviceName(session.user_agent),
    ...placeOf(service, session.ip, locale),
    ip: session.ip,
    user_agent: session.user_agent,
    created_at: iso(session.created_at),
    last_seen_at: iso(session.rotated_at),
    expires_at: iso(session.expires_at),
    ...idOfDevice(accountId, deviceHashOf(session, session.id === sessionId)),
  }));
}

/**
 * Finds the known device of each session. A device is last seen in the instant in which it begins a session, so the two
 * rows agree on time, address and browser. Each device belongs to one session at most.
 */
function matchDevices(devices: readonly DevicesTable[], deviceToken: string | undefined) {
  const free = new Set(devices);
  const cookie = deviceToken && sha256(deviceToken);
  return ({ created_at, ip, user_agent }: SessionsTable, isCurrent: boolean): string | undefined => {
    const own = isCurrent ? devices.find(({ token_hash }) => token_hash === cookie) : undefined;
    const began = (one: DevicesTable) =>
      one.token_hash !== cookie && one.last_seen_at === created_at && one.ip === ip && one.user_agent === user_agent;
    const device = own ?? [...free].find(began);
    if (device) free.delete(device);
    return device?.token_hash;
  };
}

const idOfDevice = (accountId: string, tokenHash: string | undefined) =>
  tokenHash !== undefined && { device_id: deviceId(accountId, tokenHash) };

/** Ends one session. Refuses another account's session with `not_found`. */
export async function endSession(
  trx: StoreTransaction,
  { account, accountId, sessionId, id, visitor, at, parts }: OwnedEntry & WithParts,
): Promise<void> {
  const session = await findSession(trx, id);
  if (!session || session.account_id !== accountId || !isLive(session, at))
    throw refuse(contract.endSession, 'not_found');
  const isOwn = id === sessionId;
  if (isOwn) await end(trx, { id, reason: 'signed_out', at });
  else await shutOut(trx, { account, cause: 'session_ended', session: id, at, parts });
  await recordActivity(trx, { accountId, at, visitor, kind: isOwn ? 'signed_out' : 'session_ended' });
}

/** Ends every session except the requesting one. */
export async function endOtherSessions(
  trx: StoreTransaction,
  { account, accountId, sessionId, visitor, at, parts }: Owner & WithParts,
): Promise<void> {
  const ended = await shutOut(trx, { account, cause: 'sessions_ended', session: sessionId, at, parts });
  if (ended.sessions > 0) await recordActivity(trx, { accountId, at, visitor, kind: 'sessions_ended' });
}

/** Public id of a device. A holder of many device cookies could search for a match of the plain hash. */
const deviceId = (accountId: string, tokenHash: string): string => sha256(`device id!${accountId}!${tokenHash}`);

/** The account's known devices. */
export async function devicesOf(service: Service, { accountId, deviceToken, locale }: DeviceQuery) {
  const devices = await listDevices(service.store, {
    accountId,
    since: service.now() - deviceLifetime,
    max: maxListed,
  });
  const own = deviceToken === undefined ? undefined : sha256(deviceToken);
  return devices.map((device) => ({
    id: deviceId(accountId, device.token_hash),
    current: device.token_hash === own,
    device: deviceName(device.user_agent ?? ''),
    ...placeOf(service, device.ip, locale),
    ip: device.ip,
    created_at: iso(device.created_at),
    last_seen_at: iso(device.last_seen_at),
  }));
}

/** Forgets a known device: its next sign-in sends a new-device notice. */
export async function forgetDevice(trx: StoreTransaction, { accountId, id, visitor, at }: OwnedEntry): Promise<void> {
  const devices = await listDevices(trx, { accountId, since: 0, max: maxListed });
  const device = devices.find(({ token_hash }) => deviceId(accountId, token_hash) === id);
  if (!device) throw refuse(contract.forgetDevice, 'not_found');
  await forget(trx, { accountId, tokenHash: device.token_hash });
  await recordActivity(trx, { accountId, at, visitor, kind: 'device_forgotten' });
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
