import type { ReactNode } from 'react';
import { Text, useText } from '../../browser/language/text.tsx';
import { Link } from '../../browser/navigation/navigation.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import { Loading } from '../feedback/loading.tsx';
import { LanguageMenu } from '../menus/language-menu.tsx';
import { ThemeMenu } from '../menus/theme-menu.tsx';
import css from './frame.module.css';
import { Logo } from './logo.tsx';

interface FrameProps {
  /** The layout's class. */
  className?: string | undefined;
  /** After the logo; default: the menus of language and appearance. */
  bar?: ReactNode;
  /** Shown at the beginning of the footer. */
  signature?: ReactNode;
  /** Decoration beside the content. */
  panel?: ReactNode;
  children: ReactNode;
}

/** The frame of every page: header, main part, footer. */
export function Frame({ className = '', bar, signature, panel, children }: FrameProps) {
  const t = useText();
  const { productName, supportEmail, privacyUrl, termsUrl, developmentInbox } = usePage().settings;
  return (
    <div className={`${css.frame} ${className}`}>
      <a className={css.skip} href="#main">
        <Text id="frame.skip" />
      </a>
      <Loading />
      <header className={css.header}>
        {developmentInbox && (
          <p className={css.banner}>
            <Text id="frame.development" tags={{ inbox: <a href="/dev/inbox/" /> }} />
          </p>
        )}
        <div className={css.bar}>
          <Link to="/" className={css.home} aria-label={t('frame.home', { product: productName })}>
            <Logo />
            <span translate="no">{productName}</span>
          </Link>
          {bar ?? (
            <div className={css.menus}>
              <LanguageMenu />
              <ThemeMenu />
            </div>
          )}
        </div>
      </header>
      <main id="main" className={css.main}>
        <noscript>
          <p className={css.noScript}>
            <Text id="frame.no_script" />
          </p>
        </noscript>
        {children}
      </main>
      {panel}
      <footer className={css.footer}>
        {signature}
        {supportEmail && (
          <p>
            <Text
              id="frame.help"
              values={{ email: supportEmail }}
              tags={{ mail: <a href={`mailto:${supportEmail}`} dir="ltr" /> }}
            />
          </p>
        )}
        {privacyUrl && (
          <a href={privacyUrl}>
            <Text id="frame.privacy" />
          </a>
        )}
        {termsUrl && (
          <a href={termsUrl}>
            <Text id="frame.terms" />
          </a>
        )}
      </footer>
    </div>
  );
}
