import { useEffect } from 'react';
import { usePage } from '../../browser/navigation/page.tsx';
import { pathIn } from '../../contract/languages.ts';
import { Section } from './layout/section.part.tsx';
import { ProfileCard } from './profile/profile-card.part.tsx';

/** Parts of this page that moved to pages of their own, by their former anchors. */
const moved: Readonly<Record<string, string>> = {
  '#change-email': '/account/security/#change-email',
  '#change-password': '/account/security/#change-password',
  '#sessions': '/account/devices/',
};

/** The account's first page: its owner's details. */
export default function Profile() {
  const { language } = usePage();
  useEffect(() => {
    const to = moved[location.hash];
    if (to) location.replace(pathIn(language, to));
  }, [language]);
  return <Section title="account_profile.page">{(account) => <ProfileCard account={account} />}</Section>;
}
