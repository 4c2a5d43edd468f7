import type { House } from './house.ts';

const found = (pattern: RegExp, text: string): string => {
  const [, secret] = pattern.exec(text) ?? [];
  if (secret === undefined) throw new Error(`${pattern} is not in: ${text}`);
  return secret;
};

/** Secrets that the newest emails to an address carry. */
export const secretsIn = (house: House, email: string) => ({
  signInCode: async () => found(/^(\d{6})$/m, (await house.mailTo(email, /sign-in code/)).text),
  resetLink: async () => found(/reset-password\/\S+hash=([\w-]+)/, (await house.mailTo(email, /new password/i)).text),
  /** Sent to the new address. */
  changeLink: async () =>
    found(/change-email\/\S+hash=([\w.-]+)/, (await house.mailTo(email, /Confirm your new email/)).text),
  /** Sent to the old address. */
  undoLink: async () => found(/change-email\/\S+hash=(undo\.[\w-]+)/, (await house.mailTo(email, /was changed$/)).text),
});
