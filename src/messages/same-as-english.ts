import type { LanguageCode } from '../contract/languages.ts';

/** A text that is right although it equals the English one. */
export interface SameText {
  readonly id: string;
  readonly languages: readonly LanguageCode[];
  readonly why: string;
}

export const sameAsEnglish: readonly SameText[] = [
  {
    id: 'label.inn',
    languages: ['cs', 'de', 'es', 'fr', 'hu', 'it', 'ja', 'nl', 'pl', 'pt', 'zh'],
    why: 'the Russian number is known by these letters wherever people do not write Cyrillic',
  },
  { id: 'mail.detail.passkey', languages: ['de', 'it'], why: 'the usual word' },
  { id: 'label.password', languages: ['it'], why: 'the usual word' },
  { id: 'frame.optional', languages: ['de'], why: 'the same word' },
  { id: 'dashboard.page', languages: ['de', 'it', 'nl'], why: 'the usual word for such a page' },
  { id: 'form.error_title', languages: ['es'], why: 'the same word' },
  { id: 'dashboard.notifications', languages: ['fr'], why: 'the same word' },
  { id: 'account_notifications.page', languages: ['fr'], why: 'the same word' },
  { id: 'account_privacy.page', languages: ['it', 'nl'], why: 'the usual word' },
  { id: 'account.page', languages: ['it', 'nl'], why: 'the usual word' },
  { id: 'account_frame.open', languages: ['fr', 'it', 'nl', 'pl', 'pt'], why: 'the usual word for such a button' },
  { id: 'device.version', languages: ['cs', 'de', 'fr', 'nl', 'pl', 'ro'], why: 'the same word' },
  { id: 'security.passkeys', languages: ['de'], why: 'the name of these keys on all systems' },
  { id: 'devices.state', languages: ['de', 'nl'], why: 'the same word' },
  { id: 'devices.system', languages: ['pl'], why: 'the same word' },
  { id: 'records.filters', languages: ['nl'], why: 'the same word' },
];
