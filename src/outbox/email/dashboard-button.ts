import { pathIn } from '../../contract/languages.ts';
import { type Block, button, type EmailContext } from './email-content.ts';

/** A button that opens the dashboard in the reader's language. */
export const dashboardButton = ({ say, product, language }: EmailContext): Block =>
  button(say('mail.computer_added.button'), `${product.publicUrl}${pathIn(language.code, '/dashboard/')}`);
