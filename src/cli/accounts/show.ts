import { profileIn } from '../../contract/fields/profile.ts';
import { iso, isoOrNull } from '../../contract/iso-time.ts';
import { deviceName } from '../../outbox/device-name.ts';
import { isPassword } from '../../security/foreign/hashes.ts';
import { sha256 } from '../../security/secrets.ts';
import { providerOf } from '../../security/web-authn/providers.ts';
import { lockedUntil, lockoutOfAddress } from '../../store/access/lockouts.ts';
import { passkeysOf } from '../../store/access/passkeys/passkeys.ts';
import { listSessions } from '../../store/access/sessions.ts';
import type { AccountsTable } from '../../store/accounts/accounts.ts';
import { listActivity } from '../../store/accounts/activity-log.ts';
import type { Store } from '../../store/database.ts';
import { findSuppressed } from '../../store/emails/suppression-list.ts';
import type { StoreCommand } from '../command.ts';
import { inColumns } from '../readable.ts';
import { withAccount } from './account.ts';

const mostActivity = 10;
const mostSessions = 1000;

export const accountsShow: StoreCommand = {
  name: ['accounts', 'show'],
  usage: 'accounts show WHO',
  summary: 'show an account by its address or id: locks, passkeys, sessions and recent activity',
  run: ({ store, now, positionals }) =>
    withAccount({ store, command: 'accounts show', positionals }, async (account) => {
      const data = await describe(store, account, now);
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

async function describe(store: Store, account: AccountsTable, now: number) {
  const guessed = await lockedUntil(store, lockoutOfAddress(sha256(account.email_key)), now);
  const unreachable = await findSuppressed(store, account.email);
  const sessions = await listSessions(store, { accountId: account.id, now, most: mostSessions });
  const passkeys = await passkeysOf(store, account.id);
  const activity = await listActivity(store, { accountId: account.id, before: undefined, limit: mostActivity });
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
