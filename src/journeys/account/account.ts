import { readAccount } from '../../contract/account.ts';
import { writePhone } from '../../contract/phone.ts';
import { refuse } from '../../contract/refuse.ts';
import { accountDetails } from '../../store/account-details.ts';
import { type AccountsTable, findAccount } from '../../store/accounts.ts';
import type { Store } from '../../store/database.ts';

const written = new Map<string, string>();
const writtenKept = 1000;

/** Writing a number costs as much as all that the database is asked for its account, which is read again and again. */
function writeOnce(phone: string): string {
  const known = written.get(phone) ?? writePhone(phone);
  written.set(phone, known);
  if (written.size > writtenKept) written.delete(written.keys().next().value ?? '');
  return known;
}

/** What an account's owner is told of it. */
export async function describeAccount({ store }: { store: Store }, account: AccountsTable | undefined) {
  if (!account) throw refuse(readAccount, 'not_signed_in');
  const { consents, isUnreachable } = await accountDetails(store, account.id);
  return {
    id: account.id,
    name: account.name,
    email: account.email,
    email_confirmed: account.email_proven_at !== null,
    email_unreachable: isUnreachable,
    phone: account.phone,
    phone_written: writeOnce(account.phone),
    phone_confirmed: account.phone_confirmed_at !== null,
    organization: account.organization,
    inn: account.inn,
    locale: account.locale,
    created_at: new Date(account.created_at).toISOString(),
    consents: consents.map(({ kind, given, version, document, locale, at }) => ({
      kind,
      given: given === 1,
      version,
      document,
      locale,
      at: new Date(at).toISOString(),
    })),
    mail_new_device: account.mail_new_device === 1,
  };
}

/** The same, after something of it was changed. */
export const describeAnew = async ({ store }: { store: Store }, accountId: string) =>
  describeAccount({ store }, await findAccount(store, accountId));
