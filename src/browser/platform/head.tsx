import { type ReactNode, useEffect, useState } from 'react';
import { defaultLanguage, type LanguageCode, languageOf, languages, pathIn } from '../../contract/languages.ts';
import { headDebounce } from '../constants.ts';

export interface HeadContent {
  readonly title: string;
  readonly description: string;
  readonly language: LanguageCode;
  /** The English path; undefined for a page without an address of its own. */
  readonly path: string | undefined;
  /** Whether search engines may list it. */
  readonly index?: true | undefined;
  readonly publicUrl: string;
}

/** Renders the title and the tags for search engines; debounces changes in quick succession. */
export function Head({ content }: { content: HeadContent }): ReactNode {
  const { title, description, language, path, index, publicUrl } = useDebounced(content);
  const address = (code: LanguageCode) => publicUrl + pathIn(code, path ?? '');
  return (
    <>
      <title>{title}</title>
      {!index && <meta name="robots" content="noindex" />}
      {description !== '' && <meta name="description" content={description} />}
      {path !== undefined && <link rel="canonical" href={address(language)} />}
      {path !== undefined &&
        languages.map(({ code }) => (
          <link key={code} rel="alternate" hrefLang={languageOf(code).tag} href={address(code)} />
        ))}
      {path !== undefined && <link rel="alternate" hrefLang="x-default" href={address(defaultLanguage)} />}
    </>
  );
}

function useDebounced<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  const key = JSON.stringify(value);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` compares the content by value
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), headDebounce);
    return () => clearTimeout(timer);
  }, [key]);
  return settled;
}
