import type { CallWay } from '../contract/call-ways.ts';
import { hasSender, type SmsSenders } from './call-texts.ts';
import { asRefused, type CallProvider, type ProviderStatus, type RefusalReason } from './provider.ts';
import { withTimeout } from './provider-request.ts';

interface Need {
  readonly code: 'sender_unregistered' | 'numbers_hidden' | 'ways_blocked';
  /** The methods that need it. */
  readonly ways: readonly CallWay[];
  readonly says: string;
  /** The methods to offer instead. */
  readonly offer?: readonly CallWay[];
  /** Met by an entry for the country in SMS_SENDERS. */
  readonly isMetBySender?: true;
}

const registeredSender: Need = {
  code: 'sender_unregistered',
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
      code: 'sender_unregistered',
      ways: ['sms'],
      says: 'text messages must begin with a registered signature: name it in SMS_SENDERS, such as CN:【示例】 (web addresses are omitted)',
      isMetBySender: true,
    },
  ],
  DE: [
    {
      code: 'numbers_hidden',
      ways: ['ring'],
      says: 'since December 2022 German caller numbers are hidden on calls from abroad, so users see no digits to type: call from numbers of another country, and offer voice or sms',
    },
  ],
  RU: [
    {
      code: 'ways_blocked',
      ways: ['ring', 'voice'],
      says: 'since September 2025 operators may block companies’ calls that deliver codes: also offer reverse',
      offer: ['reverse'],
    },
    {
      code: 'ways_blocked',
      ways: ['telegram', 'whatsapp'],
      says: 'WhatsApp and Telegram are restricted there: also offer reverse or sms',
      offer: ['reverse', 'sms'],
    },
  ],
  US: [
    {
      code: 'sender_unregistered',
      ways: ['sms'],
      says: 'text messages need a number registered for 10DLC, or a verified toll-free number',
    },
  ],
};

interface Offer {
  /** The methods that the operator offers. */
  readonly ways: readonly string[];
  readonly senders: SmsSenders;
}

/** Requirements of a country that the settings do not meet yet; empty if we know of none. */
export const needsOf = (country: string, { ways: offered, senders }: Offer): readonly Need[] =>
  (needs[country] ?? [])
    .filter(({ ways }) => ways.some((way) => offered.includes(way)))
    .filter(({ isMetBySender }) => !(isMetBySender && hasSender(senders, country)));

/** A provider's entry in `vestibule doctor`. */
export interface ProviderWithStatus extends ProviderStatus {
  readonly provider: string;
  /** Absent if the provider works. */
  readonly refused?: { readonly reason: RefusalReason; readonly message: string };
}

/** Checks a provider's credentials without placing a call; `within` is in milliseconds. */
export async function readProviderStatus(provider: CallProvider, within: number): Promise<ProviderWithStatus> {
  try {
    return { provider: provider.name, ...(await withTimeout(within, (signal) => provider.readStatus(signal))) };
  } catch (error) {
    const { reason, message } = asRefused(error);
    return { provider: provider.name, refused: { reason, message } };
  }
}

/** Enough for about a hundred calls, by currency. */
const lowBelow: Readonly<Record<string, number>> = { RUB: 100, RUR: 100, KZT: 500, USD: 5, EUR: 5 };
const lowBelowOtherwise = 10;

/** Classifies a balance as a provider writes it (`84.6 RUB`); undefined if it is sufficient or unreadable. */
export function fundsOf(balance: string): 'empty' | 'low' | undefined {
  const [, amount = '', currency = ''] = /^(-?\d+(?:\.\d+)?)\s*([A-Z]{3})?$/.exec(balance.trim()) ?? [];
  if (amount === '') return undefined;
  if (Number(amount) <= 0) return 'empty';
  return Number(amount) < (lowBelow[currency] ?? lowBelowOtherwise) ? 'low' : undefined;
}
