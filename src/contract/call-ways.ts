/**
 * How somebody shows that a number is theirs: it rings, a voice speaks the digits, they call a number of ours (`reverse`), or the
 * digits come by Telegram or as a text message.
 */
export const callWays = ['ring', 'voice', 'reverse', 'telegram', 'sms'] as const;
export type CallWay = (typeof callWays)[number];

/** A link by mail may take a call's place. */
export const confirmationWays = [...callWays, 'mail'] as const;
export type ConfirmationWay = (typeof confirmationWays)[number];
