import { warnings } from '../contract/computers/record-kinds.ts';
import { hours, minutes } from '../contract/durations.ts';
import { type LanguageCode, languages, pathIn } from '../contract/languages.ts';
import { openCatalogs } from '../messages/compiled-catalogs.ts';
import { compose } from '../outbox/compose.ts';
import { type ProductSettings, productOf } from '../outbox/email/email-content.ts';
import type { EmailText } from '../outbox/email-message.ts';
import { type AnyNotice, isNoticeName, type NoticeName } from '../outbox/notices.ts';

type Parameters = { readonly [Notice in AnyNotice as Notice['notice']]: Notice['params'] };

const when = Date.UTC(2026, 10, 21, 17, 5);
const secret = 'kX2vN8qR5tY1uB4zD7wG0jL3mP6sV9aC_eH-fIoQrTE';
const ada = { email: 'ada@mail.example', name: 'Ada Lovelace' };

/** Sample parameters of each notice; a notice without a sample does not compile. */
const samples = (publicUrl: string, language: LanguageCode): Parameters => {
  const link = (page: string, query: Record<string, string>) =>
    `${publicUrl}${pathIn(language, page)}?${new URLSearchParams(query)}`;
  return {
    recovery: { link: link('/reset-password/', { email: ada.email, hash: secret }) },
    password_changed: { when },
    session_reused: { ip: '192.0.2.7', when },
    new_device: { device: 'Firefox, Windows', ip: '192.0.2.7', place: 'Berlin', when },
    phone_changed: { when, digits: '67' },
    email_change: { link: link('/change-email/', { email: ada.email, hash: secret }) },
    email_changed: {
      email: 'ada@new.example',
      link: link('/change-email/', { email: ada.email, hash: `undo.${secret}` }),
      when,
    },
    email_change_undone: { link: link('/reset-password/', { email: ada.email, hash: secret }) },
    email_confirmation: { link: link('/account/security/', { hash: secret }) },
    deletion_planned: { when },
    deletion_canceled: {},
    account_cleared: {},
    account_deleted: { when },
    registered: { proof: secret },
    sign_in_code: { code: '048217', device: 'Firefox, Windows', ip: '192.0.2.7', when },
    computer_added: { computer: 'Office', device: 'Linux', ip: '192.0.2.7', when },
    alarm: {
      kind: 'computer_silent',
      device: 'Front desk',
      when,
      others: warnings.map((kind, at) => ({ kind, device: `Server ${at + 1}`, when: when + minutes(4 + at) })),
      more: 12,
    },
    alarm_test: { when },
    passkey_added: { passkey: 'iCloud Keychain', device: 'Safari, macOS', ip: '192.0.2.7', place: 'Berlin', when },
    passkey_removed: { passkey: 'Windows Hello', device: 'Firefox, Windows', ip: '192.0.2.7', place: 'Berlin', when },
    passkey_copied: { passkey: 'YubiKey', device: 'Firefox, Windows', ip: '192.0.2.7', place: 'Berlin', when },
    password_removed: { when },
    second_step_changed: { change: 'added', when, origin: { device: 'Firefox, Windows', ip: '192.0.2.7', when } },
    second_step_removal: {
      when: when + hours(24),
      link: link('/keep-second-step/', { hash: secret }),
      origin: { device: 'Firefox, Windows', ip: '192.0.2.7', when },
    },
    recovery_codes_low: { left: 3, origin: { device: 'Firefox, Windows', ip: '192.0.2.7', when } },
    confirm_mail: { link: link('/confirm-mail/', { call: 'pT4wZ1xK8vQ2nB6mR9sL', hash: secret }) },
  };
};

/** Renders sample emails as their recipients would get them. */
export function openPreview(settings: ProductSettings) {
  const product = productOf(settings);
  const catalog = openCatalogs();
  return (notice: NoticeName, language: LanguageCode): Promise<EmailText> => {
    // Users who confirm by email have no account yet, so the email has no name.
    const { name, email } = { ...ada, ...(notice === 'confirm_mail' && { name: undefined }) };
    const params = JSON.stringify({ ...samples(settings.PUBLIC_URL, language)[notice], name });
    return compose({ notice, params, locale: language, recipient: email }, { product, catalog });
  };
}

export const themes = ['light', 'dark'] as const;
export type Theme = (typeof themes)[number];
export const widths = ['320', '390', '640', 'full'] as const;
export type Width = (typeof widths)[number];

/** The previewed email, and how to show it. */
export interface Choice {
  readonly notice: NoticeName;
  /** One language, or all of them side by side. */
  readonly language: LanguageCode | 'all';
  readonly part: 'html' | 'text';
  readonly theme: Theme;
  readonly width: Width;
}

/** Reads a choice from a query, with defaults for missing and unknown values. */
export function readChoice(query: Readonly<Record<string, unknown>>): Choice {
  const { notice, language, part, theme, width } = query;
  return {
    notice: typeof notice === 'string' && isNoticeName(notice) ? notice : 'recovery',
    language: language === 'all' ? 'all' : (languages.find(({ code }) => code === language)?.code ?? 'en'),
    part: part === 'text' ? 'text' : 'html',
    theme: themes.find((one) => one === theme) ?? 'light',
    width: widths.find((one) => one === width) ?? '640',
  };
}

/** The email as a mail client with this theme shows it, regardless of the developer's own theme. */
export const inTheme = (html: string, theme: Theme): string =>
  html
    .replace('@media (prefers-color-scheme: dark)', theme === 'dark' ? '@media all' : '@media not all')
    .replaceAll('light dark', theme);
