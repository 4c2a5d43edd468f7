import type { CallWay } from '../../contract/call-ways.ts';
import { hasSender, type SmsSenders } from '../texts/sms-senders.ts';

interface Need {
  /** The methods that need it. */
  readonly ways: readonly CallWay[];
  readonly says: string;
  /** Met by an entry for the country in SMS_SENDERS. */
  readonly isMetBySender?: true;
}

const registeredSender: Need = {
  ways: ['sms'],
  says: 'operators there deliver text messages only from a sender that is registered with them: name it in SMS_SENDERS',
  isMetBySender: true,
};

/** Requirements that an operator must know or prepare for, as of 2026, by ISO 3166 code. */
const needs: Readonly<Record<string, readonly Need[]>> = {
  ...Object.fromEntries(
    ['TR', 'SA', 'AE', 'QA', 'KW', 'OM', 'EG', 'JO'].map((country) => [country, [registeredSender]]),
  ),
  CN: [
    {
      ways: ['sms'],
      says: 'text messages must begin with a registered signature: name it in SMS_SENDERS, such as CN:【示例】 (web addresses are omitted)',
      isMetBySender: true,
    },
  ],
  DE: [
    {
      ways: ['ring'],
      says: 'since December 2022 German caller numbers are hidden on calls from abroad, so users see no digits to type: call from numbers of another country, and offer voice or sms',
    },
  ],
  RU: [
    {
      ways: ['ring', 'voice'],
      says: 'since September 2025 operators may block companies’ calls that deliver codes: also offer reverse',
    },
    { ways: ['telegram', 'whatsapp'], says: 'WhatsApp and Telegram are restricted there: also offer reverse or sms' },
  ],
  US: [{ ways: ['sms'], says: 'text messages need a number registered for 10DLC, or a verified toll-free number' }],
};

interface Offer {
  /** The methods that the operator offers. */
  readonly ways: readonly string[];
  readonly senders: SmsSenders;
}

/** Requirements of a country that the settings do not meet yet; empty if we know of none. */
export const needsOf = (country: string, { ways: offered, senders }: Offer): readonly string[] =>
  (needs[country] ?? [])
    .filter(({ ways }) => ways.some((way) => offered.includes(way)))
    .filter(({ isMetBySender }) => !(isMetBySender && hasSender(senders, country)))
    .map(({ says }) => says);
