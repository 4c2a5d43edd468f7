import { Section } from '../layout/section.part.tsx';
import { SecurityRows } from './security-rows.part.tsx';

/** How the owner signs in, how the service reaches them, and what happened to the account. */
export default function Security() {
  return <Section title="account_security.page">{(account) => <SecurityRows account={account} />}</Section>;
}
