import type { LanguageCode } from '../contract/languages.ts';
import type { Store } from './database.ts';
import { orderedId } from './ordered-id.ts';

/** Every answer ever given, the newest of a kind being in force: what was agreed to, in which words, and when. */
export interface ConsentsTable {
  id: string;
  account_id: string;
  kind: 'personal_data' | 'offers';
  given: 0 | 1;
  /** Which wording was shown: raised when the text changes. */
  version: number;
  locale: LanguageCode;
  at: number;
}

const consentVersion = 1;

export const recordConsent = (store: Store, consent: Omit<ConsentsTable, 'id' | 'version'>) =>
  store
    .insertInto('consents')
    .values({ id: orderedId(), version: consentVersion, ...consent })
    .execute();

/** The newest answer of each kind. */
export async function currentConsents(store: Store, accountId: string) {
  const answers = await store
    .selectFrom('consents')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('id', 'asc')
    .execute();
  return [...new Map(answers.map((answer) => [answer.kind, answer])).values()];
}
