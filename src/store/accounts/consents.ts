import type { ConsentKind } from '../../contract/account.ts';
import type { LanguageCode } from '../../contract/languages.ts';
import type { Store } from '../database.ts';
import { orderedId } from '../database.ts';

/** Every consent ever given or refused, with its wording and time. The newest of a kind is in force. */
export interface ConsentsTable {
  id: string;
  account_id: string;
  kind: ConsentKind;
  given: 0 | 1;
  /** Version of the wording, raised when the text changes. */
  version: number;
  /** URL of the operator's document that the owner agreed to, if there is one. */
  document: string | null;
  locale: LanguageCode;
  at: number;
}

declare module '../database.ts' {
  interface Database {
    consents: ConsentsTable;
  }
}

export const consentVersion = 1;

type Consent = Omit<ConsentsTable, 'id' | 'version' | 'document'> & { document?: string | null | undefined };

export const recordConsent = (store: Store, { document = null, ...consent }: Consent) =>
  store
    .insertInto('consents')
    .values({ id: orderedId(), version: consentVersion, document, ...consent })
    .execute();

export const currentConsents = async (store: Store, accountId: string) =>
  newestOf(
    await store.selectFrom('consents').selectAll().where('account_id', '=', accountId).orderBy('id', 'asc').execute(),
  );

/** Filters consents, sorted oldest first, to the newest of each kind. */
export const newestOf = <Consent extends ConsentsTable>(consents: readonly Consent[]): Consent[] => [
  ...new Map(consents.map((consent) => [consent.kind, consent])).values(),
];
