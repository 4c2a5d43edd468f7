import { readAccount } from '../../contract/account.ts';
import { writePhone } from '../../contract/fields/phone.ts';
import { profileIn } from '../../contract/fields/profile.ts';
import { iso } from '../../contract/iso-time.ts';
import { knownLanguage } from '../../contract/languages.ts';
import { refuse } from '../../contract/refuse.ts';
import { BoundedMap } from '../../runtime/bounded-map.ts';
import { accountDetails } from '../../store/accounts/account-details.ts';
import { type AccountsTable, findAccount } from '../../store/accounts/accounts.ts';
import type { Store } from '../../store/database.ts';

const numbersKept = 1000;

/** Caches formatted numbers: formatting one costs as much as all queries of the account, which clients read often. */
function openPhoneWriting(): (phone: string) => string {
  const written = new BoundedMap<string, string>(numbersKept);
  return (phone) => {
    const known = written.get(phone) ?? writePhone(phone);
    written.set(phone, known);
    return known;
  };
}

/** Describes an account for its owner: `describe` from a row already read, `describeAnew` after a change. */
export function openDescriptions({ store }: { store: Store }) {
  const written = openPhoneWriting();
  const describe = (account: AccountsTable) => describeAccount(store, account, written);
  return {
    describe,
    async describeAnew(accountId: string) {
      const account = await findAccount(store, accountId);
      if (!account) throw refuse(readAccount, 'not_signed_in');
      return describe(account);
    },
  };
}

async function describeAccount(store: Store, account: AccountsTable, written: (phone: string) => string) {
  const { consents, isUnreachable } = await accountDetails(store, account.id);
  return {
    id: account.id,
    name: account.name,
    email: account.email,
    email_confirmed: account.email_proven_at !== null,
    email_unreachable: isUnreachable,
    phone: account.phone,
    phone_written: written(account.phone),
    phone_confirmed: account.phone_confirmed_at !== null,
    ...profileIn(account),
    locale: knownLanguage(account.locale),
    created_at: iso(account.created_at),
    consents: consents.map(({ kind, given, version, document, locale, at }) => ({
      kind,
      given: given === 1,
      version,
      document,
      locale,
      at: iso(at),
    })),
    mail_new_device: account.mail_new_device === 1,
    password_changed_at: iso(account.password_changed_at),
  };
}
