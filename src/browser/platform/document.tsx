import { Component, type ReactNode, useEffect, useState } from 'react';
import { defaultLanguage, type LanguageCode, languageOf, languages, pathIn } from '../../contract/languages.ts';
import { headDebounce } from '../constants.ts';

/** Marks the page as hydrated, submits a form that `early.ts` held, and presses the button that it marked. */
export function useHydrated(): void {
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    document.documentElement.dataset.alive = '';
    setReady(true);
  }, []);
  // One commit later, which contains what the first effects read: the page's link and a form's draft.
  useEffect(() => {
    if (!isReady) return;
    const button = document.querySelector<HTMLElement>('[data-pressed]');
    delete button?.dataset.pressed;
    button?.click();
    const { dataset } = document.documentElement;
    if (!('submitted' in dataset)) return;
    delete dataset.submitted;
    document.forms[0]?.requestSubmit();
  }, [isReady]);
}

/**
 * If React renders the page anew, because an extension has inserted something before hydration, this moves what the user
 * has typed to the new fields. `before` are the fields of the pre-rendered page.
 */
export function moveTyped(before: Iterable<HTMLInputElement>): void {
  for (const field of before) {
    const now = document.querySelector<HTMLInputElement>(`input[name="${field.name}"]`);
    if (!field.isConnected && now) move(field, now);
  }
}

function move(before: HTMLInputElement, now: HTMLInputElement): void {
  if (before.checked === now.checked && (before.value === '' || now.value !== '')) return;
  now.checked = before.checked;
  if (now.type !== 'checkbox') now.value = before.value;
  // The form reads its fields when they change.
  now.dispatchEvent(new Event('input', { bubbles: true }));
}

interface Props {
  /** Replaces the children if one of them throws, or if `broken`. */
  instead: ReactNode;
  broken: boolean;
  children: ReactNode;
}

/** Keeps an error in a screen from unmounting the whole document. */
export class ErrorBoundary extends Component<Props, { failed: boolean }> {
  override state = { failed: false };
  static getDerivedStateFromError = () => ({ failed: true });
  override render(): ReactNode {
    return this.state.failed || this.props.broken ? this.props.instead : this.props.children;
  }
}

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
