import { pathIn } from '../../contract/languages.ts';
import type { MessageId } from '../../messages/ids.ts';
import {
  type Block,
  button,
  type EmailContent,
  type EmailContext,
  paragraph,
  recoveryAddress,
} from './email-content.ts';

type Text = MessageId & `mail.${string}`;

/** The parameters that the texts of a plain notice may use. */
interface PlainParams {
  readonly when?: number;
  /** The address of its button. */
  readonly link?: string;
  /** An address other than the recipient's. */
  readonly email?: string;
  /** The last two digits of a phone number: enough for owners to recognize their own. */
  readonly digits?: string;
}

/** The page that sets a new password, or another page of ours. */
type Page = 'recovery' | '/' | '/dashboard/' | '/computers/add/' | '/account/security/';

interface PlainButton<Opens> {
  readonly button: Text;
  readonly opens: Opens;
}

interface PlainNotice {
  readonly subject: Text;
  /** Paragraphs, and a button among them. */
  readonly body: readonly (Text | PlainButton<'link' | Page>)[];
}

/** A notice without logic of its own: its subject, its paragraphs and its button. */
export const plainNotice =
  <Params extends PlainParams = object>({ subject, body }: PlainNotice) =>
  (context: EmailContext, params: Params): EmailContent => {
    const { say, product, recipient, dateTime } = context;
    const { when, email = recipient, digits = '', link = '' }: PlainParams = params;
    const values = { product: product.name, email, digits, when: when === undefined ? '' : dateTime(when) };
    return {
      subject: say(subject, values),
      body: body.map((part) => {
        if (typeof part === 'string') return paragraph(say(part, values));
        const { opens } = part;
        return opens === 'link' ? button(say(part.button), link) : pageButton(context, { ...part, opens });
      }),
    };
  };

/** A button that opens a page of ours in the reader's language. */
export const pageButton = (context: EmailContext, { button: text, opens }: PlainButton<Page>): Block => {
  const { say, product, language } = context;
  const page = opens === 'recovery' ? recoveryAddress(context) : `${product.publicUrl}${pathIn(language.code, opens)}`;
  return button(say(text), page);
};
