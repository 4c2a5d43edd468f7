import type { WithParts } from '../access/account-part.ts';
import { profileIn } from '../contract/account.ts';
import { splitScopes } from '../contract/openid-scopes.ts';
import { iso, isoOrNull } from '../contract/units.ts';
import { isPassword } from '../security/imported-hashes.ts';
import { sha256 } from '../security/macs.ts';
import { providerOf } from '../security/web-authn/providers.ts';
import { findAuthenticator } from '../store/access/authenticators.ts';
import { countRemembered } from '../store/access/devices.ts';
import { lockedUntil, lockoutOfAddress } from '../store/access/lockouts.ts';
import { passkeysOf } from '../store/access/passkeys.ts';
import { countRecoveryCodes } from '../store/access/recovery-codes.ts';
import { removalDueAt } from '../store/access/second-step.ts';
import { listSessions } from '../store/access/sessions.ts';
import { authenticationOf } from '../store/access/sign-in-lookup.ts';
import type { AccountsTable } from '../store/accounts/accounts.ts';
import { listActivity } from '../store/accounts/activity-log.ts';
import { currentConsents } from '../store/accounts/consents.ts';
import { pendingEmailChange, undoableUntil } from '../store/accounts/email-changes.ts';
import { groupsOf } from '../store/applications/account-groups.ts';
import { connectionsOfAccount } from '../store/applications/clients.ts';
import { deviceName } from '../store/browser-names.ts';
import type { Store } from '../store/database.ts';
import { findSuppressed } from '../store/emails/suppression-list.ts';
import { notesAbout } from '../store/operators/notes.ts';
import { actorNames } from './operation.ts';

const maxActivity = 10;
const maxNotes = 50;
/** Of sessions and of applications. */
const maxListed = 1000;

interface Described extends WithParts {
  readonly store: Store;
  readonly account: AccountsTable;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Everything about an account that an operator may need, without secrets. Single values come first, then lists. */
export async function describeAccount({ store, parts, account, now }: Described) {
  const { id, email } = account;
  const guessed = await lockedUntil(store, lockoutOfAddress(sha256(account.email_key)), now);
  const unreachable = await findSuppressed(store, email);
  const change = await pendingEmailChange(store, { accountId: id, now });
  const undoable = await undoableUntil(store, { accountId: id, now });
  const passkeys = await passkeysOf(store, id);
  const notes = await notesAbout(store, { accountId: id, max: maxNotes });
  const nameOf = await actorNames(store, notes);
  const ofParts = await Promise.all(parts.map((part) => part.describe(store, id)));
  return {
    id,
    email,
    email_proven_at: isoOrNull(account.email_proven_at),
    email_unreachable_since: isoOrNull(unreachable?.at ?? null),
    email_unreachable_because: unreachable ? `${unreachable.reason} (${unreachable.told_by})` : null,
    email_unreachable_words: unreachable?.detail ?? null,
    email_change_to: change?.email ?? null,
    email_change_until: isoOrNull(change?.until ?? null),
    email_change_can_be_undone_until: isoOrNull(undoable === 0 ? null : undoable),
    name: account.name,
    phone: account.phone,
    phone_confirmed_at: isoOrNull(account.phone_confirmed_at),
    ...profileIn(account),
    promo_code: account.promo_code,
    locale: account.locale,
    time_zone: account.time_zone,
    created_at: iso(account.created_at),
    password_changed_at: iso(account.password_changed_at),
    locked_at: isoOrNull(account.locked_at),
    wrong_passwords_lock_it_until: guessed > 0 ? iso(guessed) : null,
    delete_at: isoOrNull(account.delete_at),
    password: isPassword(account.password_hash),
    second_step_since: isoOrNull(account.second_step_at),
    second_step_removal_at: isoOrNull(await removalDueAt(store, id)),
    authenticator: (await findAuthenticator(store, id)) !== undefined,
    recovery_codes_left: await countRecoveryCodes(store, id),
    remembered_devices: await countRemembered(store, { accountId: id, now }),
    passkeys: passkeys.map(({ id, name, aaguid, backed_up, created_at, last_used_at }) => ({
      id,
      name,
      provider: providerOf(aaguid),
      synced: backed_up === 1,
      created_at: iso(created_at),
      last_used_at: isoOrNull(last_used_at),
    })),
    notes: notes.map(({ at, actor_kind, actor, text }) => ({
      at: iso(at),
      actor_kind,
      actor,
      actor_name: nameOf({ actor_kind, actor }),
      text,
    })),
    groups: [...(await groupsOf(store, id))],
    applications: (await connectionsOfAccount(store, { accountId: id, max: maxListed })).map((one) => ({
      id: one.client_id,
      name: one.name,
      scopes: splitScopes(one.scopes),
      connected_at: iso(one.connected_at),
      last_used_at: iso(one.last_used_at),
    })),
    consents: (await currentConsents(store, id)).map(({ kind, given, version, document, at }) => ({
      kind,
      given: given === 1,
      version,
      document,
      at: iso(at),
    })),
    ...(Object.assign({}, ...ofParts) as Awaited<ReturnType<WithParts['parts'][number]['describe']>>),
    sessions: (await listSessions(store, { accountId: id, now, max: maxListed })).map((session) => ({
      id: session.id,
      created_at: iso(session.created_at),
      last_seen_at: iso(session.rotated_at),
      ip: session.ip,
      device: deviceName(session.user_agent),
      amr: [...authenticationOf(session).amr],
    })),
    activity: (await listActivity(store, { accountId: id, before: undefined, limit: maxActivity })).map((line) => ({
      at: iso(line.at),
      kind: line.kind,
      ip: line.ip,
      device: deviceName(line.user_agent),
    })),
  };
}
