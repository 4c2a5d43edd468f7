import { colours, typeOf } from './email-theme.ts';

interface MailButton {
  /** The label as HTML. */
  readonly text: string;
  /** Characters of the text without its tags. */
  readonly letters: number;
  /** Escaped. */
  readonly href: string;
  readonly dir: 'ltr' | 'rtl';
  readonly tag: string;
}

/**
 * A button that every email client draws completely and that is clickable everywhere: a table cell with a link of the
 * same size, and a VML shape for Outlook for Windows, which ignores the size of links.
 */
export const buttonHtml = ({ text, letters, href, dir, tag }: MailButton): string => `<!--[if mso]>
<v:roundrect xmlns:v="urn:schemas-microsoft-com:vml" xmlns:w="urn:schemas-microsoft-com:office:word" href="${href}" style="width:${shapeWidth(letters, tag)}px;height:50px;v-text-anchor:middle" arcsize="20%" stroke="f" fillcolor="${colours.accent}"><w:anchorlock/>
<center dir="${dir}" style="color:${colours.onAccent};font-family:'Segoe UI',Arial,sans-serif;font-size:16px;font-weight:bold">${text}</center>
</v:roundrect>
<![endif]--><!--[if !mso]><!-->
<table role="presentation" dir="${dir}" cellpadding="0" cellspacing="0" border="0" style="border-collapse:separate"><tr><td class="button" style="background:${colours.accent};border-radius:10px"><a href="${href}" class="button" style="${linkStyle}">${text}</a></td></tr></table>
<!--<![endif]-->`;

const linkStyle =
  `display:inline-block;padding:13px 24px;color:${colours.onAccent};border-radius:10px;` +
  'font-weight:600;text-decoration:none';

/** Width of the VML shape, in pixels. Chinese and Japanese characters are as wide as they are high. */
const shapeWidth = (letters: number, tag: string): number =>
  Math.min(Math.max(48 + letters * typeOf(tag).letterWidth, 200), 500);
