import type { TestServer } from './test-server.ts';

const found = (pattern: RegExp, text: string): string => {
  const [, secret] = pattern.exec(text) ?? [];
  if (secret === undefined) throw new Error(`${pattern} is not in: ${text}`);
  return secret;
};

const resetHash = /reset-password\/\S+hash=([\w-]+)/;

/** Secrets in the newest emails to an address. */
export const secretsIn = (server: TestServer, email: string) => ({
  signInCode: async () => found(/^(\d{6})$/m, (await server.mailTo(email, /sign-in code/)).text),
  resetLink: async () => found(resetHash, (await server.mailTo(email, /new password/i)).text),
  /** Of an account that an operator created. */
  invitation: async () => found(resetHash, (await server.mailTo(email, /^Your new/)).text),
  /** Sent to the new address. */
  changeLink: async () =>
    found(/change-email\/\S+hash=([\w.-]+)/, (await server.mailTo(email, /Confirm your new email/)).text),
  /** Sent to the old address. */
  undoLink: async () =>
    found(/change-email\/\S+hash=(undo\.[\w-]+)/, (await server.mailTo(email, /email address was changed$/)).text),
});
