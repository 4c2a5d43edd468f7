import type { ReactNode } from 'react';
import { type Language, type LanguageCode, pathIn } from '../../contract/languages.ts';
import { localeCookie, localeCookieLifetime } from '../../contract/pages/cookies.ts';
import { AddressLink } from '../navigation/navigation.tsx';
import { usePage } from '../navigation/page.tsx';
import { writeCookie } from '../platform/cookies.ts';
import { browserStorage } from '../platform/storage.ts';

/** Stores the choice for a year; `/` redirects to it. */
function chooseLanguage(code: LanguageCode): void {
  writeCookie(localeCookie, code, localeCookieLifetime);
  browserStorage.write('locale', code);
}

/** A link to the same page in another language; typed text stays. */
export function LanguageLink(props: { language: Language; onClick?: () => void }): ReactNode {
  const { language, onClick } = props;
  const page = usePage();
  const code = language.code as LanguageCode;
  const choose = () => {
    chooseLanguage(code);
    onClick?.();
  };
  return (
    <AddressLink
      address={pathIn(code, page.path + page.search)}
      lang={language.tag}
      hrefLang={language.tag}
      dir={language.dir}
      aria-current={code === page.language ? 'true' : undefined}
      onClick={choose}
      // A new tab requests its page before `click` fires, so store the choice earlier.
      onMouseDown={({ button, ctrlKey, metaKey }) => (button === 1 || ctrlKey || metaKey) && chooseLanguage(code)}
    >
      {language.name}
    </AddressLink>
  );
}
