import type { LanguageCode } from '../../contract/languages.ts';
import { regions } from '../../contract/regions.ts';

/** For the call that is only to ring. */
export const hangUpWhenAnswered = '<Response><Hangup/></Response>';

/** Where Google's voices, which Twilio has for all of our languages, name a language otherwise than with its region. */
const otherTags: Partial<Record<LanguageCode, string>> = { ar: 'ar-XA', zh: 'cmn-CN' };

/** Three times, because the first is missed while the phone is on its way to the ear. */
const times = 3;

/**
 * TwiML that speaks the digits one by one (https://www.twilio.com/docs/voice/twiml/say). Digits alone are read in the
 * voice's language, so nothing has to be translated; an introduction is spoken before them.
 */
export function speakDigits(said: { code: string; locale: LanguageCode; introduction?: string | undefined }): string {
  const { code, locale, introduction } = said;
  const tag = otherTags[locale] ?? `${locale}-${regions[locale]}`;
  const words = [introduction, [...code].join(', ')].filter(Boolean).join(' ');
  const once = `<Say language="${tag}" voice="Google.${tag}-Standard-A">${escapeXml(words)}.</Say><Pause length="1"/>`;
  return `<Response><Pause length="1"/>${once.repeat(times)}</Response>`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escapeXml = (text: string): string => text.replace(/[&<>]/g, (sign) => entities[sign] as string);
