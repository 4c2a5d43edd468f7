import { randomBytes } from 'node:crypto';

const bytesEach = 5;
/** Asking for random bytes costs the same for one and for thousands. */
const madeAtOnce = 800;

/** Names requests: ten hexadecimal digits, which a page can show and an operator can search. */
export function openReferences(): () => string {
  let digits = '';
  let at = 0;
  return () => {
    if (at >= digits.length) {
      digits = randomBytes(bytesEach * madeAtOnce)
        .toString('hex')
        .toUpperCase();
      at = 0;
    }
    at += 2 * bytesEach;
    return digits.slice(at - 2 * bytesEach, at);
  };
}
