import type { CallWay } from '../contract/call-ways.ts';

interface Need {
  /** The methods that it concerns. */
  readonly ways: readonly CallWay[];
  readonly says: string;
}

const registeredSender: Need = {
  ways: ['sms'],
  says: 'operators there deliver text messages only from a sender that is registered with them',
};

/** What an operator has to know or prepare, as of 2026, by ISO 3166 code. */
const needs: Readonly<Record<string, readonly Need[]>> = {
  ...Object.fromEntries(
    ['TR', 'SA', 'AE', 'QA', 'KW', 'OM', 'EG', 'JO'].map((country) => [country, [registeredSender]]),
  ),
  CN: [{ ways: ['sms'], says: 'a text message must begin with a registered signature and have no web address in it' }],
  DE: [
    {
      ways: ['ring'],
      says: 'since December 2022 German caller numbers are hidden where a call comes from abroad, so such a call shows nothing to type: call from numbers of another country, and offer voice or sms',
    },
  ],
  JP: [{ ways: ['sms'], says: 'operators there filter text messages with web addresses' }],
  RU: [
    {
      ways: ['ring', 'voice'],
      says: 'since September 2025 operators may block calls of companies that bring codes: offer reverse as well',
    },
    { ways: ['telegram'], says: 'Telegram is restricted there: offer reverse or sms as well' },
  ],
  US: [
    { ways: ['sms'], says: 'text messages need a number that is registered for 10DLC, or a verified toll-free number' },
  ],
};

/** What calls and messages to a country need, as far as these methods are offered; empty where nothing is known. */
export const needsOf = (country: string, offered: readonly string[]): readonly string[] =>
  (needs[country] ?? []).filter(({ ways }) => ways.some((way) => offered.includes(way))).map(({ says }) => says);
