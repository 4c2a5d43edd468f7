import { type DoneFrom, doneFrom } from '../letter/done-from.ts';
import { code, type Letter, paragraph, type Writing } from '../letter/letter.ts';

interface SignInCode extends DoneFrom {
  /** Six digits. */
  readonly code: string;
}

/** A code to type instead of the password, in the browser that asked for it; no link, which somebody else could be made to open. */
export const signInCode = (writing: Writing, asked: SignInCode): Letter => {
  const { say, product } = writing;
  return {
    subject: say('mail.sign_in_code.subject', { code: asked.code, product: product.name }),
    body: [
      paragraph(say('mail.sign_in_code.lead')),
      code(asked.code),
      paragraph(say('mail.sign_in_code.validity')),
      doneFrom(writing, asked),
      paragraph(say('mail.sign_in_code.not_you')),
    ],
  };
};
