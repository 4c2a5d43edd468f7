import { minutes } from './units.ts';

/**
 * How an owner confirms a phone number: it rings, a voice speaks the digits, the owner calls one of our numbers
 * (`reverse`), or the digits come by WhatsApp, by Telegram or as a text message.
 */
export const callWays = ['ring', 'voice', 'reverse', 'whatsapp', 'telegram', 'sms'] as const;
export type CallWay = (typeof callWays)[number];

/** An emailed link may replace a call. */
export const confirmationWays = [...callWays, 'mail'] as const;
export type ConfirmationWay = (typeof confirmationWays)[number];

/** How long a call or message waits for its digits. */
export const callLifetime = minutes(5);
