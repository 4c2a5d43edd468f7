import { days, hours } from '../../../contract/durations.ts';
import { pathIn } from '../../../contract/languages.ts';
import { enqueueEmail } from '../../../outbox/enqueue-email.ts';
import { writeEmailProof } from '../../../security/email-proofs.ts';
import { sha256 } from '../../../security/secrets.ts';
import type { Service } from '../../../server/service.ts';
import type { Owner } from '../../../store/access/session-owner.ts';
import { emailKey } from '../../../store/accounts/email-key.ts';
import type { StoreTransaction } from '../../../store/database.ts';
import { limitKey } from '../../../store/rate-limit-keys.ts';
import { countRequestInTransaction } from '../../../store/rate-limits.ts';

/** Few, since a stranger may have registered with the address: its owner gets these emails. */
const mostMails = { hour: 3, day: 5 };

/** Emails the link that confirms the account's address, unless it is confirmed. Returns when more may be sent, or 0. */
export async function resendConfirmation(
  service: Service,
  trx: StoreTransaction,
  { account, accountId, at }: Owner,
): Promise<number> {
  if (account.email_proven_at !== null) return 0;
  const key = limitKey('email-confirmation', sha256(emailKey(account.email)));
  const hourly = { key, limit: mostMails.hour, within: hours(1) };
  const daily = { key, limit: mostMails.day, within: days(1), onlyChecked: true } as const;
  const counted = await countRequestInTransaction(trx, [hourly, daily], at);
  if (counted.state === 'refused') return counted.freeAt;
  const link = new URL(pathIn(account.locale, '/account/security/'), service.config.PUBLIC_URL);
  link.searchParams.set('hash', writeEmailProof(service.keyring.emailProofs[0] as Buffer, { accountId, ...account }));
  await enqueueEmail(trx, { notice: 'email_confirmation', params: { link: link.href }, account, at });
  return 0;
}
