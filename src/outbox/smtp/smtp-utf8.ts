import { minutes } from '../../contract/durations.ts';

/** Whether an address needs RFC 6531: a domain can be written in ASCII for every server, what precedes the @ cannot. */
export const needsSmtpUtf8 = (address: string): boolean =>
  /\P{ASCII}/u.test(address.slice(0, address.lastIndexOf('@')));

/** An operator who moves to a better server need not start us again. */
const askAgainAfter = minutes(5);

/**
 * Asks the server whether it takes such addresses. nodemailer sends them to any server, and one that does not know them
 * may answer anything, or take the mail and send it nowhere.
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
