import type { CallWay } from '../contract/call-ways.ts';

interface Need {
  /** The methods that need it. */
  readonly ways: readonly CallWay[];
  readonly says: string;
}

const registeredSender: Need = {
  ways: ['sms'],
  says: 'operators there deliver text messages only from a sender that is registered with them',
};

/** Requirements that an operator must know or prepare for, as of 2026, by ISO 3166 code. */
const needs: Readonly<Record<string, readonly Need[]>> = {
  ...Object.fromEntries(
    ['TR', 'SA', 'AE', 'QA', 'KW', 'OM', 'EG', 'JO'].map((country) => [country, [registeredSender]]),
  ),
  CN: [
    { ways: ['sms'], says: 'text messages must begin with a registered signature and must not contain web addresses' },
  ],
  DE: [
    {
      ways: ['ring'],
      says: 'since December 2022 German caller numbers are hidden on calls from abroad, so users see no digits to type: call from numbers of another country, and offer voice or sms',
    },
  ],
  JP: [{ ways: ['sms'], says: 'operators there filter out text messages that contain web addresses' }],
  RU: [
    {
      ways: ['ring', 'voice'],
      says: 'since September 2025 operators may block companies’ calls that deliver codes: also offer reverse',
    },
    { ways: ['telegram', 'whatsapp'], says: 'WhatsApp and Telegram are restricted there: also offer reverse or sms' },
  ],
  US: [{ ways: ['sms'], says: 'text messages need a number registered for 10DLC, or a verified toll-free number' }],
};

/** Requirements of a country for the offered methods; empty if we know of none. */
export const needsOf = (country: string, offered: readonly string[]): readonly string[] =>
  (needs[country] ?? []).filter(({ ways }) => ways.some((way) => offered.includes(way))).map(({ says }) => says);
