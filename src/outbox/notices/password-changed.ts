import { pathIn } from '../../contract/languages.ts';
import { button, type Letter, paragraph, type Writing } from '../letter/letter.ts';

/** Tells the owner of a new password, and the way back in if it was not them; `when` in ms since the epoch. `cleared`: what was entered before is gone. */
export const passwordChanged = (
  { say, product, language, dateTime }: Writing,
  { when, cleared = false }: { readonly when: number; readonly cleared?: boolean },
): Letter => ({
  subject: say('mail.password_changed.subject', { product: product.name }),
  body: [
    paragraph(say('mail.password_changed.lead', { when: dateTime(when) })),
    paragraph(say('mail.password_changed.sessions')),
    ...(cleared ? [paragraph(say('mail.password_changed.cleared'))] : []),
    paragraph(say('mail.password_changed.not_you')),
    button(say('mail.password_changed.button'), `${product.publicUrl}${pathIn(language.code, '/recovery/')}`),
  ],
});
