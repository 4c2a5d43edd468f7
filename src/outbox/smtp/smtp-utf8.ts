import { minutes } from '../../contract/durations.ts';

/** Whether an address needs RFC 6531: every domain has an ASCII form, but the part before the @ does not. */
export const needsSmtpUtf8 = (address: string): boolean =>
  /\P{ASCII}/u.test(address.slice(0, address.lastIndexOf('@')));

/** An operator can switch to a better server without restarting us. */
const askAgainAfter = minutes(5);

/**
 * Checks whether the server supports such addresses. nodemailer sends them to any server, and a server without support
 * may respond with anything, or accept the email and lose it.
 */
export function openSmtpUtf8(extensionsOf: () => Promise<readonly string[]>): () => Promise<boolean> {
  let answered = { at: Number.NEGATIVE_INFINITY, offered: false };
  return async () => {
    if (performance.now() - answered.at > askAgainAfter) {
      answered = { offered: (await extensionsOf()).includes('SMTPUTF8'), at: performance.now() };
    }
    return answered.offered;
  };
}
