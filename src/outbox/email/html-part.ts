import { buttonHtml } from './button-html.ts';
import type { Block, FramedEmailContent } from './email-content.ts';
import { colours, darkStyles, typeOf } from './email-theme.ts';
import { asHtml, asPlainText, asSubject, escapeHtml } from './isolate.ts';
import { markHtml } from './mark-html.ts';
import { cell } from './table.ts';

/**
 * The HTML part. Styles are inline, since email clients drop style sheets (the dark one is a bonus). Boxes with a
 * background are tables, since Outlook for Windows uses Word's layout, which pads nothing else. The outermost element
 * repeats `lang` and `dir`, since some clients drop those of `html` and `body`.
 */
export function htmlPart(email: FramedEmailContent): string {
  const { language, productName, greeting, body, footer, documents } = email;
  const { dir } = language;
  const subject = escapeHtml(asSubject(email.subject, dir));
  const direction = `lang="${language.tag}" dir="${dir}"`;
  const [first] = body;
  const card = `<h1 style="margin:0 0 24px;font-size:24px;line-height:1.4;font-weight:600">${asHtml(email.subject)}</h1>
${paragraph(greeting)}
${body.map((block) => blockHtml(block, email)).join('\n')}`;
  return `<!doctype html>
<html ${direction}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${subject}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings xmlns:o="urn:schemas-microsoft-com:office:office"><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><![endif]-->
<style>${darkStyles}</style>
</head>
<body class="ground" style="margin:0;padding:0;background:${colours.ground}">
<div style="${unseenStyle}">${first?.kind === 'paragraph' ? asHtml(first.text) : ''}${padding}</div>
<div ${direction} class="ground" style="${wholeStyle(language.tag)}">
<!--[if mso]><table role="presentation" dir="${dir}" width="560" align="center" cellpadding="0" cellspacing="0" border="0"><tr><td style="padding:24px 0 32px"><![endif]-->
<div style="max-width:560px;margin:0 auto;padding:24px 12px 32px">
<table role="presentation" dir="${dir}" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 16px"><tr>
<td style="padding:0 4px">${markHtml}</td>
<td style="padding:0 8px;font-size:17px;font-weight:600">${asHtml(productName)}</td>
</tr></table>
${cell({ dir, className: 'card', style: cardStyle }, card)}
<div class="muted" style="padding:20px 4px 0;font-size:14px;color:${colours.muted}">
${footer.map((line) => `<p style="margin:0 0 8px">${asHtml(line)}</p>`).join('\n')}
${documents.map(documentHtml).join('\n')}
</div>
</div>
<!--[if mso]></td></tr></table><![endif]-->
</div>
</body>
</html>
`;
}

function wholeStyle(tag: string): string {
  const { font, lineHeight } = typeOf(tag);
  return (
    `margin:0;background:${colours.ground};color:${colours.text};font-family:${font};font-size:16px;` +
    `line-height:${lineHeight};overflow-wrap:anywhere;word-break:break-word;-webkit-text-size-adjust:100%`
  );
}

/** Preview text in lists of emails: the first sentence, then padding that keeps out the logo's and greeting's text. */
const unseenStyle =
  'display:none;max-height:0;overflow:hidden;mso-hide:all;font-size:1px;line-height:1px;' +
  `color:${colours.ground};opacity:0`;
const padding = '&#847;&zwnj;&nbsp;'.repeat(80);

const cardStyle = `padding:28px 24px 12px;background:${colours.surface};border:1px solid ${colours.hairline};border-radius:12px`;
const boxStyle = `padding:10px 12px;background:${colours.ground};border-radius:8px`;
const linkStyle = 'margin:0;font-size:14px;line-height:1.5;text-align:left;word-break:break-all';

/** Large digits of equal width, since people copy the code from another screen. */
const codeStyle =
  'margin:0;font-size:28px;line-height:1.5;font-weight:600;letter-spacing:0.2em;text-align:center;font-variant-numeric:tabular-nums';

const paragraph = (text: string): string => `<p style="margin:0 0 16px">${asHtml(text)}</p>`;

function blockHtml(block: Block, { language: { dir, tag }, linkAsText }: FramedEmailContent): string {
  if (block.kind === 'paragraph') return paragraph(block.text);
  const box = { dir, className: 'ground', style: boxStyle };
  if (block.kind === 'code') return `${cell(box, `<p dir="ltr" style="${codeStyle}">${block.code}</p>`)}\n${gap(16)}`;
  if (block.kind === 'details') return `${cell(box, block.lines.map(asHtml).join('<br>'))}\n${gap(16)}`;
  const href = escapeHtml(block.link);
  if (block.kind === 'link')
    return `<p style="margin:0 0 16px"><a href="${href}" class="link" style="color:${colours.accent}">${asHtml(block.text)}</a></p>`;
  return `${gap(8)}
${buttonHtml({ text: asHtml(block.text), letters: asPlainText(block.text, dir).length, href, dir, tag })}
${gap(24)}
<p class="muted" style="margin:0 0 8px;font-size:14px;color:${colours.muted}">${asHtml(linkAsText)}</p>
${cell(box, `<p dir="ltr" style="${linkStyle}"><a href="${href}" class="link" style="color:${colours.accent}">${href}</a></p>`)}
${gap(24)}`;
}

const documentHtml = ({ text, link }: FramedEmailContent['documents'][number]): string =>
  `<p style="margin:0 0 8px"><a href="${escapeHtml(link)}" class="muted" style="color:${colours.muted}">${asHtml(text)}</a></p>`;

/** Space below a table, since Word ignores its margin. */
const gap = (pixels: number): string =>
  `<div style="height:${pixels}px;font-size:0;line-height:${pixels}px;mso-line-height-rule:exactly">&nbsp;</div>`;
