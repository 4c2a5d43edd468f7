import { minutes } from '../../../contract/durations.ts';
import { refuse, refuseField } from '../../../contract/refuse.ts';
import { tell } from '../../../outbox/delivery/gather.ts';
import { isGuessable } from '../../../security/common-passwords.ts';
import { sha256 } from '../../../security/secrets.ts';
import type { Service } from '../../../server/foundation.ts';
import { forgetOtherDevices } from '../../../store/access/devices.ts';
import { forgetMailCodes } from '../../../store/access/mail-codes.ts';
import { closeResetLinks } from '../../../store/access/reset-links.ts';
import { endOtherSessions, findSession } from '../../../store/access/sessions.ts';
import { type AccountsTable, findAccount, isPasswordOf, setPassword } from '../../../store/accounts/accounts.ts';
import { recordActivity } from '../../../store/accounts/activity.ts';
import { forgetEmailWishes } from '../../../store/accounts/email-changes.ts';
import { forgetEnrolments } from '../../../store/computers/enrolments.ts';
import type { Visitor } from '../../../store/visitor.ts';
import { changePassword as contract } from '../account.contract.ts';

interface NewPassword {
  readonly account: AccountsTable;
  readonly sessionId: string;
  /** The device cookie, if the browser has one. */
  readonly deviceToken: string | undefined;
  readonly password: string;
  readonly visitor: Visitor;
}

/**
 * Sets another password: whoever has the old one, a link or a code from before, or a browser that was known by it, is
 * out. The session that asked goes on.
 */
export async function changePassword(service: Service, asked: NewPassword): Promise<void> {
  const { account, sessionId, visitor, password } = asked;
  const { id: accountId, email, name } = account;
  const ownWords = [email, email.split('@', 1)[0] as string, name, service.config.PRODUCT_NAME];
  if (isGuessable(password, ownWords)) throw refuseField(contract, { field: 'password', code: 'password_common' });
  const hash = await service.passwords.hash(password);
  const now = service.now();
  await service.store.transaction().execute(async (trx) => {
    // A reset that was quicker has ended this session as well.
    if (!(await isPasswordOf(trx, account))) throw refuse(contract, 'not_signed_in');
    await setPassword(trx, { accountId, hash, at: now });
    await endOtherSessions(trx, { accountId, except: sessionId, reason: 'password_changed', at: now });
    await closeResetLinks(trx, { accountId, now });
    await forgetMailCodes(trx, { accountId, now });
    await forgetEmailWishes(trx, accountId);
    await forgetEnrolments(trx, accountId);
    await forgetOtherDevices(trx, {
      accountId,
      except: asked.deviceToken === undefined ? undefined : sha256(asked.deviceToken),
    });
    await recordActivity(trx, { accountId, at: now, kind: 'password_changed', visitor });
    await tell(trx, { notice: 'password_changed', params: { when: now, own: true }, account, at: now });
  });
  service.outbox.wake();
}

/** How long somebody whose answer was lost may ask again. */
const repeatedWithin = minutes(10);

/**
 * Whether it was this very session that set the password a moment ago: every other that there was before ended with the
 * change, as all end with a reset.
 */
export async function hasJustChanged(
  { store, now }: Service,
  { accountId, sessionId }: Pick<NewPassword, 'sessionId'> & { accountId: string },
): Promise<boolean> {
  const account = await findAccount(store, accountId);
  const session = await findSession(store, sessionId);
  if (!account || !session || session.ended_at !== null) return false;
  const { password_changed_at: changedAt } = account;
  return session.created_at < changedAt && changedAt > now() - repeatedWithin;
}
