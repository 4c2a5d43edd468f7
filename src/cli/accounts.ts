import { profileIn } from '../contract/account.ts';
import type { EndReason } from '../contract/failures.ts';
import { textLimit } from '../contract/fields/field-sizes.ts';
import { days, iso, isoOrNull, minutes } from '../contract/units.ts';
import { deviceName } from '../outbox/enqueue-email.ts';
import { isPassword } from '../security/imported-hashes.ts';
import { sha256 } from '../security/macs.ts';
import { providerOf } from '../security/web-authn/providers.ts';
import { lockedUntil, lockoutOfAddress } from '../store/access/lockouts.ts';
import { passkeysOf } from '../store/access/passkeys.ts';
import { idleLifetimeOf, isLive, listSessions, type SessionsTable, sessionLifetime } from '../store/access/sessions.ts';
import type { AccountsTable } from '../store/accounts/accounts.ts';
import { type ActivityTable, listActivity } from '../store/accounts/activity-log.ts';
import { readAccountData } from '../store/accounts/delete-account.ts';
import { accountByAddressOrId, accountFormerlyAt, findAccounts } from '../store/accounts/find-accounts.ts';
import type { Store } from '../store/database.ts';
import { findSuppressed } from '../store/emails/suppression-list.ts';
import { type CommandResult, inColumns, type StoreCommand, UsageError } from './command.ts';

interface AccountCommandInput {
  readonly store: Store;
  readonly command: string;
  readonly positionals: readonly string[];
  /** Whether a former address also identifies the account. */
  readonly alsoFormer?: boolean;
}

/** Runs work on the account that the command line identifies; a failed result if there is no such account. */
export async function withAccount(
  { store, command, positionals, alsoFormer = false }: AccountCommandInput,
  work: (account: AccountsTable) => Promise<CommandResult>,
): Promise<CommandResult> {
  const [who, ...more] = positionals;
  if (!who || more.length > 0) throw new UsageError(`${command} WHO: one address or account id`);
  const account =
    (await accountByAddressOrId(store, who)) ??
    (alsoFormer && who.includes('@') ? await accountFormerlyAt(store, who) : undefined);
  return account ? work(account) : { text: `${who}: no such account`, data: { found: false }, failed: true };
}

const maxShown = 50;

export const accountsFind: StoreCommand = {
  name: ['accounts', 'find'],
  usage: 'accounts find TEXT',
  summary: 'list accounts whose address, name, organization or phone number contains a text',
  example: 'accounts find example.com',
  async run({ store, positionals }) {
    const text = positionals.join(' ').trim();
    if (text === '' || text.length >= textLimit)
      throw new UsageError('accounts find TEXT: part of an address, name, organization or phone number');
    const found = await findAccounts(store, { text, max: maxShown + 1 });
    const accounts = found.slice(0, maxShown).map(({ id, email, name, phone, created_at, locked_at }) => ({
      id,
      email,
      name,
      phone,
      created_at: iso(created_at),
      locked: locked_at !== null,
    }));
    const rows = accounts.map(({ id, email, name, phone, locked }) => [id, email, name, phone, locked ? 'locked' : '']);
    const more = found.length > maxShown;
    return {
      text: accounts.length === 0 ? `${text}: no such account` : `${inColumns(rows)}${more ? '\nand more' : ''}`,
      data: { accounts, more },
      failed: accounts.length === 0,
    };
  },
};

const maxActivity = 10;
const maxSessions = 1000;

export const accountsShow: StoreCommand = {
  name: ['accounts', 'show'],
  usage: 'accounts show WHO',
  summary: 'show an account by its address or id: locks, passkeys, sessions and recent activity',
  example: 'accounts show anna@example.com',
  run: ({ store, now, positionals }) =>
    withAccount({ store, command: 'accounts show', positionals }, async (account) => {
      const data = await describeAccount(store, account, now);
      const { passkeys, sessions, activity, ...facts } = data;
      const lines = Object.entries(facts).filter(([, value]) => value !== null && value !== '');
      return {
        text: [
          inColumns(lines.map(([name, value]) => [name.replaceAll('_', ' '), String(value)])),
          `Passkeys: ${passkeys.length}`,
          inColumns(passkeys.map(({ id, name, last_used_at }) => [`  ${id}`, name, last_used_at ?? 'never used'])),
          `Sessions: ${sessions.length}`,
          inColumns(sessions.map(({ last_seen_at, ip, device }) => [`  ${last_seen_at}`, ip, device])),
          'Recent activity:',
          inColumns(activity.map(({ at, kind, ip, device }) => [`  ${at}`, kind, ip, device])),
        ]
          .filter(Boolean)
          .join('\n'),
        data,
      };
    }),
};

async function describeAccount(store: Store, account: AccountsTable, now: number) {
  const guessed = await lockedUntil(store, lockoutOfAddress(sha256(account.email_key)), now);
  const unreachable = await findSuppressed(store, account.email);
  const sessions = await listSessions(store, { accountId: account.id, now, max: maxSessions });
  const passkeys = await passkeysOf(store, account.id);
  const activity = await listActivity(store, { accountId: account.id, before: undefined, limit: maxActivity });
  return {
    id: account.id,
    email: account.email,
    email_proven_at: isoOrNull(account.email_proven_at),
    email_unreachable_since: isoOrNull(unreachable?.at ?? null),
    email_unreachable_because: unreachable ? `${unreachable.reason} (${unreachable.told_by})` : null,
    name: account.name,
    phone: account.phone,
    phone_confirmed_at: isoOrNull(account.phone_confirmed_at),
    ...profileIn(account),
    promo_code: account.promo_code,
    locale: account.locale,
    created_at: iso(account.created_at),
    password_changed_at: iso(account.password_changed_at),
    locked_at: isoOrNull(account.locked_at),
    wrong_passwords_lock_it_until: guessed > 0 ? iso(guessed) : null,
    delete_at: isoOrNull(account.delete_at),
    password: isPassword(account.password_hash),
    passkeys: passkeys.map(({ id, name, aaguid, backed_up, created_at, last_used_at }) => ({
      id,
      name,
      provider: providerOf(aaguid),
      synced: backed_up === 1,
      created_at: iso(created_at),
      last_used_at: isoOrNull(last_used_at),
    })),
    sessions: sessions.map(({ id, created_at, rotated_at, ip, user_agent }) => ({
      id,
      created_at: iso(created_at),
      last_seen_at: iso(rotated_at),
      ip,
      device: deviceName(user_agent),
    })),
    activity: activity.map(({ at, kind, ip, user_agent }) => ({
      at: iso(at),
      kind,
      ip,
      device: deviceName(user_agent),
    })),
  };
}

export const accountsWhy: StoreCommand = {
  name: ['accounts', 'why'],
  usage: 'accounts why WHO',
  summary:
    'show why and when each session of an account ended, and who changed its address; WHO may also be a former address',
  example: 'accounts why anna@example.com',
  run: ({ store, now, positionals }) =>
    withAccount({ store, command: 'accounts why', positionals, alsoFormer: true }, async ({ id, email }) => {
      const { sessions, activity } = await readAccountData(store, id);
      const ended = sessions
        .filter((session) => !isLive(session, now))
        .map((session) => describeEnd(session, activity))
        .toSorted((one, other) => other.ended_at.localeCompare(one.ended_at));
      const live = sessions.length - ended.length;
      const changes = activity
        .filter(({ kind }) => kind.startsWith('email_change'))
        .map(({ at, kind, ip, user_agent }) => ({ at: iso(at), kind, ip, device: deviceName(user_agent) }));
      const lines = ended.flatMap(({ ended_at, device, ip, why, by }) => [
        `${ended_at}  ${device} (${ip}): ${why}`,
        ...by.map((line) => `    ${line.at}  ${line.kind}, ${line.device} (${line.ip || 'an operator'})`),
      ]);
      return {
        text: [
          `${email}: ${live} live sessions, ${ended.length} ended`,
          ...changes.map(({ at, kind, ip, device }) => `${at}  ${kind}, ${device} (${ip || 'an operator'})`),
          ...lines,
        ].join('\n'),
        data: { id, live, ended, address_changes: changes },
      };
    }),
};

const whys: Readonly<Record<EndReason, string>> = {
  no_session: 'unknown',
  expired: 'it expired',
  signed_out: 'the owner signed out on that device, or signed in again there',
  ended_elsewhere: 'ended from another session of the owner, or by an operator',
  email_undone: 'a change of the email address was undone',
  password_changed: 'the password was changed or reset',
  reused: 'a client used an old token, so someone had a copy of the session: it ended for both',
};

function describeEnd(session: SessionsTable, activity: readonly ActivityTable[]) {
  const { id, created_at, rotated_at, expires_at, ended_at, end_reason, ip, user_agent } = session;
  const idle = idleLifetimeOf(session);
  const idleUntil = rotated_at + idle;
  const at = ended_at ?? Math.min(idleUntil, expires_at);
  const reason = end_reason ?? 'expired';
  const unused =
    idleUntil < expires_at
      ? `it was not used for ${session.shared ? `${idle / minutes(1)} minutes, on a shared computer` : `${idle / days(1)} days`}`
      : `it reached its limit of ${sessionLifetime / days(1)} days`;
  // The activity that ended a session has exactly the same timestamp.
  const by = activity.filter((line) => line.at === ended_at);
  return {
    session: id,
    began_at: iso(created_at),
    last_seen_at: iso(rotated_at),
    ended_at: iso(at),
    device: deviceName(user_agent),
    ip,
    reason,
    why: end_reason === null ? unused : whys[reason],
    /** Who ended it, if recorded. */
    by: by.map((line) => ({ at: iso(line.at), kind: line.kind, ip: line.ip, device: deviceName(line.user_agent) })),
  };
}
