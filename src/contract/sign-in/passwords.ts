import type { FieldFailure } from '../failures.ts';

/** What a stranger would try first as the password of an account. */
export interface PasswordOwner {
  readonly email: string;
  /** Empty if the page does not know it. */
  readonly name: string;
  readonly product: string;
}

/** Up to 20 times the same character, as in the list; longer ones are as hard to guess as their length. */
const oneCharacter = /^(.)\1{0,19}$/u;

const bare = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s\p{P}]/gu, '');

/** Whether a password is a word of the account or the product, or one character (NIST SP 800-63B-4, 3.1.1.2). */
export function isObviousPassword(password: string, { email, name, product }: PasswordOwner): boolean {
  const guess = bare(password);
  const words = [email, email.split('@', 1)[0] as string, name, product].map(bare);
  return oneCharacter.test(password) || words.some((word) => word !== '' && word === guess);
}

/** The error of a form with an obvious password; only the server knows the list of common ones. */
export const refuseObviousPassword = (password: string, owner: PasswordOwner): FieldFailure[] =>
  isObviousPassword(password, owner) ? [{ field: 'password', code: 'password_common' }] : [];
