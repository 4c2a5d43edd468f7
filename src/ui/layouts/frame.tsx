import type { ReactNode } from 'react';
import { Paragraph, Text, useText } from '../../browser/language/text.tsx';
import { Link } from '../../browser/navigation/navigation.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import { mark } from '../../contract/brand.ts';
import { Loading } from '../feedback/feedback.tsx';
import { LanguageMenu, ThemeMenu } from '../menus/frame-menus.tsx';
import css from './frame.module.css';

interface FrameProps {
  className?: string | undefined;
  /** Where the logo leads; default: the first page. */
  home?: string | undefined;
  /** After the logo; default: the menus of language and appearance. */
  bar?: ReactNode;
  /** Shown at the beginning of the footer. */
  signature?: ReactNode;
  /** Decoration beside the content. */
  panel?: ReactNode;
  children: ReactNode;
}

/** The frame of every page: header, main part, footer. */
export function Frame({ className = '', home = '/', bar, signature, panel, children }: FrameProps) {
  const t = useText();
  const { productName, supportEmail, privacyUrl, termsUrl, developmentInbox } = usePage().settings;
  return (
    <div className={`${css.frame} ${className}`}>
      <a className={css.skip} href="#main">
        <Text id="frame.skip" />
      </a>
      <header className={css.header}>
        {developmentInbox && (
          <Paragraph className={css.banner} id="frame.development" tags={{ inbox: <a href="/dev/inbox/" /> }} />
        )}
        <div className={css.bar}>
          <Link to={home} className={css.home} aria-label={t('frame.home', { product: productName })}>
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
          <Paragraph className={css.noScript} id="frame.no_script" />
        </noscript>
        <Loading />
        {children}
      </main>
      {panel}
      <footer className={css.footer}>
        {signature}
        {supportEmail && (
          <Paragraph
            id="frame.help"
            values={{ email: supportEmail }}
            tags={{ mail: <a href={`mailto:${supportEmail}`} dir="ltr" /> }}
          />
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

/** One column without text beside it. Headings stay where the default layout has them. */
export const ClearLayout = ({ children }: { children: ReactNode }) => (
  <Frame className={withPanel} panel={<Panel picture={<Doorway />} />}>
    {children}
  </Frame>
);

interface DefaultLayoutProps {
  /** A sentence in the panel. */
  beside: ReactNode;
  /** The picture in the doorway; default: devices. */
  picture?: ReactNode;
  className?: string | undefined;
  children: ReactNode;
}

/** A form, and, on wide screens, a panel with a picture beside it. */
export const DefaultLayout = ({ beside, picture = <Devices />, className = '', children }: DefaultLayoutProps) => (
  <Frame className={`${withPanel} ${className}`} panel={<Panel picture={<Doorway>{picture}</Doorway>}>{beside}</Panel>}>
    {children}
  </Frame>
);

/** The logo, a lit doorway. Decorative, since the product's name is beside it. */
export const Logo = () => (
  <svg viewBox="0 0 32 32" width="2rem" height="2rem" aria-hidden="true">
    <rect width="32" height="32" rx="9" fill="var(--fill)" />
    <path d={mark.arch} stroke="var(--on-fill)" strokeWidth="2.25" strokeLinecap="round" />
    <path d={mark.door} fill="var(--light)" />
  </svg>
);

const withPanel = css.columns as string;

interface PanelProps {
  picture: ReactNode;
  /** A sentence below it. */
  children?: ReactNode;
}

/** Decoration beside a form, on wide screens. */
const Panel = ({ picture, children }: PanelProps) => (
  <aside className={css.panel}>
    <div className={css.quiet}>
      {picture}
      {children && <div className={css.words}>{children}</div>}
    </div>
  </aside>
);

/** A lit doorway. Decorative, and not mirrored for right-to-left languages. */
export const Doorway = ({ children }: { children?: ReactNode }) => (
  <svg className={css.picture} viewBox="0 0 416 416" aria-hidden="true">
    <radialGradient id="shine" cy="1" r="1.05">
      <stop className={css.near} />
      <stop offset=".55" className={css.mid} />
      <stop offset="1" className={css.far} />
    </radialGradient>
    <linearGradient id="spill" x2="0" y2="1">
      <stop className={css.mid} />
      <stop offset="1" className={css.gone} />
    </linearGradient>
    <path
      className={css.lines}
      d="M20 336V208a188 188 0 0 1 376 0v128M44 336V208a164 164 0 0 1 328 0v128M-700 336H88m240 0h788"
    />
    <path className={css.wall} d="M68 336V208a140 140 0 0 1 280 0v128z" />
    <path fill="url(#shine)" d="M88 336V208a120 120 0 0 1 240 0v128z" />
    <path fill="url(#spill)" d="M88 336h240l64 80H24z" />
    {children}
  </svg>
);

/** Three devices of a dashboard, each with a line or two and a status light. */
export const Devices = () => (
  <>
    <g className={css.body}>
      <path d="M184 290h20v32h16a4 4 0 0 1 4 4v2h-60v-2a4 4 0 0 1 4-4h16z" />
      <rect x="116" y="190" width="156" height="104" rx="9" />
      <rect className={css.screen} x="121" y="195" width="146" height="94" rx="5" />
      <path className={css.pictureWords} d="M150 212h52M135 232h96M135 246h70" />
      <path className={css.alive} d="M138 212z" />
    </g>
    <g className={css.body}>
      <path d="M206 264a8 8 0 0 1 8-8h88a8 8 0 0 1 8 8v72H206z" />
      <path d="M192 334h132v3a8 8 0 0 1-8 8H200a8 8 0 0 1-8-8z" />
      <rect className={css.screen} x="211" y="261" width="94" height="68" rx="4" />
      <path className={css.pictureWords} d="M240 277h36M225 295h66M225 308h42" />
      <path className={css.alive} d="M228 277z" />
    </g>
    <g className={css.body}>
      <rect x="92" y="266" width="52" height="92" rx="10" />
      <rect className={css.screen} x="97" y="271" width="42" height="82" rx="6" />
      <path className={css.pictureWords} d="M107 307h22M107 319h13" />
      <path className={css.alive} d="M118 289z" />
    </g>
  </>
);

/** A phone that shows a shield and six digits. */
export const PhoneWithCode = () => (
  <g className={css.body}>
    <rect x="152" y="170" width="112" height="188" rx="18" />
    <rect className={css.screen} x="159" y="177" width="98" height="174" rx="12" />
    <path className={css.shield} d="M208 203l27 10v21c0 17-11 28-27 34-16-6-27-17-27-34v-21z" />
    <path className={css.tick} d="M196 235l9 9 16-18" />
    <path className={css.pictureWords} d="M178 304zM190 304zM202 304zM214 304zM226 304zM238 304zM190 326h36" />
  </g>
);
