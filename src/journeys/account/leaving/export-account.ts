import type { WithParts } from '../../../access/account-part.ts';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import { refuse } from '../../../contract/failures.ts';
import { splitScopes } from '../../../contract/openid-scopes.ts';
import { iso, isoOrNull } from '../../../contract/units.ts';
import { providerOf } from '../../../security/web-authn/providers.ts';
import type { Service } from '../../../server/service.ts';
import { countRecoveryCodes } from '../../../store/access/recovery-codes.ts';
import { removalDueAt } from '../../../store/access/second-step.ts';
import { authenticationOf } from '../../../store/access/sign-in-lookup.ts';
import { type AccountsTable, findAccount } from '../../../store/accounts/accounts.ts';
import { recordActivity } from '../../../store/accounts/activity-log.ts';
import { readAccountData } from '../../../store/accounts/delete-account.ts';
import type { Store } from '../../../store/database.ts';
import { findSuppressed } from '../../../store/emails/suppression-list.ts';
import type { Visitor } from '../../../store/visitor.ts';
import * as contract from './export-account.contract.ts';

/** Exports everything stored about an account, except hashes and keys. */
export async function exportAccount(
  service: Service,
  { accountId, visitor }: { accountId: string; visitor: Visitor },
): Promise<ResponseBody<typeof contract.exportAccount>> {
  const { store } = service;
  const now = service.now();
  await recordActivity(store, { accountId, at: now, kind: 'exported', visitor });
  const account = await findAccount(store, accountId);
  if (!account) throw refuse(contract.exportAccount, 'not_signed_in');
  return describeAll(service, account, now);
}

/** The export of any account; the caller checks the permission to read it. */
export async function describeAll(
  { store, parts }: WithParts & { readonly store: Store },
  account: AccountsTable,
  now: number,
): Promise<ResponseBody<typeof contract.exportAccount>> {
  const { consents, sessions, devices, activity, outbox, ...kept } = await readAccountData(store, account.id);
  const unreachable = await findSuppressed(store, account.email);
  const { password_hash: _hash, email_key: _key, registration_attempt: _attempt, ...known } = account;
  const ofParts: Readonly<Record<string, unknown>>[] = [];
  for (const { exports } of parts) ofParts.push(await exports.read(store, account.id));
  return {
    format: 1,
    exported_at: iso(now),
    account: {
      ...known,
      email_proven_at: isoOrNull(known.email_proven_at),
      email_unreachable_since: isoOrNull(unreachable?.at ?? null),
      phone_confirmed_at: isoOrNull(known.phone_confirmed_at),
      password_changed_at: iso(known.password_changed_at),
      created_at: iso(known.created_at),
      mail_new_device: known.mail_new_device === 1,
      delete_at: isoOrNull(known.delete_at),
      locked_at: isoOrNull(known.locked_at),
      second_step_at: isoOrNull(known.second_step_at),
      second_step_removal_at: isoOrNull(await removalDueAt(store, account.id)),
      recovery_codes_left: await countRecoveryCodes(store, account.id),
    },
    consents: consents.map(({ kind, given, version, document, locale, at }) => ({
      kind,
      given: given === 1,
      version,
      document,
      locale,
      at: iso(at),
    })),
    sessions: sessions.map((session) => ({
      created_at: iso(session.created_at),
      last_seen_at: iso(session.rotated_at),
      expires_at: iso(session.expires_at),
      ended_at: isoOrNull(session.ended_at),
      end_reason: session.end_reason,
      ip: session.ip,
      user_agent: session.user_agent,
      amr: [...authenticationOf(session).amr],
      acr: authenticationOf(session).acr,
    })),
    devices: devices.map(({ created_at, last_seen_at, ip, user_agent, remembered_until }) => ({
      created_at: iso(created_at),
      last_seen_at: iso(last_seen_at),
      ip,
      user_agent,
      remembered_until: isoOrNull(remembered_until),
    })),
    passkeys: kept.passkeys.map(({ id, name, aaguid, backed_up, counter, created_at, last_used_at }) => ({
      id,
      name,
      provider: providerOf(aaguid),
      synced: backed_up === 1,
      uses_counted: counter,
      created_at: iso(created_at),
      last_used_at: isoOrNull(last_used_at),
    })),
    activity: activity.map(({ at, kind, ip, user_agent }) => ({ at: iso(at), kind, ip, user_agent })),
    notes: kept.notes.map(({ at, text }) => ({ at: iso(at), text })).reverse(),
    groups: [...kept.groups],
    connected_apps: kept.connected_clients.map(({ name, scopes, resources, connected_at, last_used_at }) => ({
      name,
      scopes: splitScopes(scopes),
      apis: JSON.parse(resources),
      connected_at: iso(connected_at),
      last_used_at: iso(last_used_at),
    })),
    emails: outbox.map(({ notice, recipient, created_at, sent_at }) => ({
      notice,
      recipient,
      created_at: iso(created_at),
      sent_at: isoOrNull(sent_at),
    })),
    ...(Object.assign({}, ...ofParts) as object),
  };
}
