import { useState } from 'react';
import { Section } from '../layout/section.part.tsx';
import { Left } from './leave.part.tsx';
import { Privacy } from './privacy.part.tsx';

/** Consents, a copy of the data, and the deletion of the account. */
export default function PrivacyPage() {
  const [left, leave] = useState(false);
  if (left) return <Left />;
  return (
    <Section title="account_privacy.page">
      {(account) => <Privacy account={account} left={() => leave(true)} />}
    </Section>
  );
}
