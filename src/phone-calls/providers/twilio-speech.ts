import type { LanguageCode } from '../../contract/languages.ts';

/** TwiML of a flash call. */
export const hangUpWhenAnswered = '<Response><Hangup/></Response>';

interface Voice {
  /** The language code that Twilio lists for this voice. */
  readonly language: string;
  readonly voice: string;
}

const english: Voice = { language: 'en-US', voice: 'Polly.Joanna' };

/**
 * From Twilio's list of voices (https://www.twilio.com/docs/voice/twiml/say/text-speech): a call with an unlisted voice
 * is silent. The list has no permanent voice for Hungarian and Ukrainian, so we do not offer these.
 */
const voices: Readonly<Partial<Record<LanguageCode, Voice>>> = {
  ar: { language: 'arb', voice: 'Polly.Zeina' },
  cs: { language: 'cs-CZ', voice: 'Polly.Jitka-Neural' },
  de: { language: 'de-DE', voice: 'Polly.Vicki' },
  el: { language: 'el-GR', voice: 'Google.el-GR-Standard-B' },
  en: english,
  es: { language: 'es-ES', voice: 'Polly.Lucia' },
  fr: { language: 'fr-FR', voice: 'Polly.Lea' },
  it: { language: 'it-IT', voice: 'Polly.Bianca' },
  ja: { language: 'ja-JP', voice: 'Polly.Mizuki' },
  nl: { language: 'nl-NL', voice: 'Polly.Lotte' },
  pl: { language: 'pl-PL', voice: 'Polly.Ewa' },
  pt: { language: 'pt-BR', voice: 'Polly.Camila' },
  ro: { language: 'ro-RO', voice: 'Polly.Carmen' },
  ru: { language: 'ru-RU', voice: 'Polly.Tatyana' },
  tr: { language: 'tr-TR', voice: 'Polly.Filiz' },
  zh: { language: 'cmn-CN', voice: 'Polly.Zhiyu' },
};

export const spokenLanguages = Object.keys(voices) as LanguageCode[];

/** Three times, because users miss the first while they lift the phone to the ear. */
const times = 3;

/**
 * TwiML that speaks the introduction and then the digits one by one (https://www.twilio.com/docs/voice/twiml/say).
 * Twilio reads digits in the voice's language, so they need no translation.
 */
export function speakDigits(said: { code: string; locale: LanguageCode; introduction?: string | undefined }): string {
  const { code, locale, introduction } = said;
  const { language, voice } = voices[locale] ?? english;
  const words = [introduction, [...code].join(', ')].filter(Boolean).join(' ');
  const once = `<Say language="${language}" voice="${voice}">${escapeXml(words)}.</Say><Pause length="1"/>`;
  return `<Response><Pause length="1"/>${once.repeat(times)}</Response>`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escapeXml = (text: string): string => text.replace(/[&<>]/g, (sign) => entities[sign] as string);
