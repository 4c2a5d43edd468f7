import { brand } from '../../contract/brand.ts';
import { asHtml, asPlainText, asSubject, type Block, escapeHtml, type FramedEmailContent } from './email-content.ts';

/** The tokens of `ui/tokens.css` that emails need: email clients do not support custom properties. */
const colors = {
  text: '#14181f',
  muted: '#55606e',
  surface: brand.surface,
  ground: '#f3f6fb',
  hairline: '#d5dae0',
  accent: brand.fill,
  onAccent: brand.onFill,
  light: brand.light,
} as const;

/** Overrides the inline styles in email clients that keep a style sheet and have a dark theme. */
const darkStyles = `
:root { color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
.ground { background: #0f1318 !important; color: #e8ecf1 !important; }
.card { background: ${brand.darkSurface} !important; border-color: #313944 !important; color: #e8ecf1 !important; }
.muted { color: #a3afbd !important; }
.button { background: #3b6fd4 !important; color: #ffffff !important; }
.link { color: #8ab4ff !important; }
}
`;

const latin = {
  font: "system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',Arial,sans-serif",
  lineHeight: 1.5,
  /** Width of a character on a button, in pixels: an upper estimate of the average. */
  letterWidth: 10,
};

/** Arabic, Japanese and Chinese need their own fonts and more line spacing. */
const scripts: Record<string, typeof latin> = {
  ar: {
    font: "'SF Arabic','Segoe UI','Noto Sans Arabic','Geeza Pro',Tahoma,sans-serif",
    lineHeight: 1.75,
    letterWidth: 9,
  },
  ja: {
    font: "'Hiragino Sans','Yu Gothic UI',Meiryo,'Noto Sans JP','Noto Sans CJK JP',sans-serif",
    lineHeight: 1.7,
    letterWidth: 17,
  },
  'zh-Hans': {
    font: "'PingFang SC','Microsoft YaHei','Noto Sans SC','Noto Sans CJK SC',sans-serif",
    lineHeight: 1.7,
    letterWidth: 17,
  },
};

/** Font, line height and character width for a language (BCP 47 tag). */
const typeOf = (tag: string): typeof latin => scripts[tag] ?? latin;

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
<body class="ground" style="margin:0;padding:0;background:${colors.ground}">
<div style="${unseenStyle}">${first?.kind === 'paragraph' ? asHtml(first.text) : ''}${padding}</div>
<div ${direction} class="ground" style="${wholeStyle(language.tag)}">
<!--[if mso]><table role="presentation" dir="${dir}" width="560" align="center" cellpadding="0" cellspacing="0" border="0"><tr><td style="padding:24px 0 32px"><![endif]-->
<div style="max-width:560px;margin:0 auto;padding:24px 12px 32px">
<table role="presentation" dir="${dir}" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 16px"><tr>
<td style="padding:0 4px">${markHtml}</td>
<td style="padding:0 8px;font-size:17px;font-weight:600">${asHtml(productName)}</td>
</tr></table>
${cell({ dir, className: 'card', style: cardStyle }, card)}
<div class="muted" style="padding:20px 4px 0;font-size:14px;color:${colors.muted}">
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
    `margin:0;background:${colors.ground};color:${colors.text};font-family:${font};font-size:16px;` +
    `line-height:${lineHeight};overflow-wrap:anywhere;word-break:break-word;-webkit-text-size-adjust:100%`
  );
}

/** Preview text in lists of emails: the first sentence, then padding that keeps out the logo's and greeting's text. */
const unseenStyle =
  'display:none;max-height:0;overflow:hidden;mso-hide:all;font-size:1px;line-height:1px;' +
  `color:${colors.ground};opacity:0`;
const padding = '&#847;&zwnj;&nbsp;'.repeat(80);

const cardStyle = `padding:28px 24px 12px;background:${colors.surface};border:1px solid ${colors.hairline};border-radius:12px`;
const boxStyle = `padding:10px 12px;background:${colors.ground};border-radius:8px`;
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
    return `<p style="margin:0 0 16px"><a href="${href}" class="link" style="color:${colors.accent}">${asHtml(block.text)}</a></p>`;
  return `${gap(8)}
${buttonHtml({ text: asHtml(block.text), letters: asPlainText(block.text, dir).length, href, dir, tag })}
${gap(24)}
<p class="muted" style="margin:0 0 8px;font-size:14px;color:${colors.muted}">${asHtml(linkAsText)}</p>
${cell(box, `<p dir="ltr" style="${linkStyle}"><a href="${href}" class="link" style="color:${colors.accent}">${href}</a></p>`)}
${gap(24)}`;
}

const documentHtml = ({ text, link }: FramedEmailContent['documents'][number]): string =>
  `<p style="margin:0 0 8px"><a href="${escapeHtml(link)}" class="muted" style="color:${colors.muted}">${asHtml(text)}</a></p>`;

/** Space below a table, since Word ignores its margin. */
const gap = (pixels: number): string =>
  `<div style="height:${pixels}px;font-size:0;line-height:${pixels}px;mso-line-height-rule:exactly">&nbsp;</div>`;

interface Cell {
  readonly dir: 'ltr' | 'rtl';
  /** For the dark style sheet. */
  readonly className: string;
  readonly style: string;
}

/** A table with one cell of full width: the only box that gets its background and padding in every email client. */
const cell = ({ dir, className, style }: Cell, html: string): string =>
  `<table role="presentation" dir="${dir}" width="100%" cellpadding="0" cellspacing="0" border="0" style="border-collapse:separate"><tr><td class="${className}" style="${style}">
${html}
</td></tr></table>`;

const table = (size: string, inside: string): string =>
  `<table role="presentation" ${size} cellpadding="0" cellspacing="0" border="0" align="center" style="border-collapse:separate"><tr>${inside}</tr></table>`;

const door = table(
  'width="7" height="14"',
  `<td width="7" height="14" style="width:7px;height:14px;background:${colors.light};border-radius:4px 4px 0 0;font-size:0;line-height:0">&nbsp;</td>`,
);

const frame = table(
  'width="17" height="18"',
  `<td width="13" height="16" align="center" valign="bottom" style="width:13px;height:16px;padding:0;border:2px solid ${colors.onAccent};border-bottom:0;border-radius:9px 9px 0 0;font-size:0;line-height:0">${door}</td>`,
);

/**
 * The logo of `ui/layouts/frame.tsx`, built from table cells: email clients block images or ask first, and drop SVG. It
 * looks like a door even without rounded corners.
 */
const markHtml = table(
  'width="32" height="32" aria-hidden="true"',
  `<td width="32" height="32" align="center" valign="bottom" style="width:32px;height:32px;padding:0 0 6px;box-sizing:border-box;background:${colors.accent};border-radius:9px;font-size:0;line-height:0">${frame}</td>`,
);

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
const buttonHtml = ({ text, letters, href, dir, tag }: MailButton): string => `<!--[if mso]>
<v:roundrect xmlns:v="urn:schemas-microsoft-com:vml" xmlns:w="urn:schemas-microsoft-com:office:word" href="${href}" style="width:${shapeWidth(letters, tag)}px;height:50px;v-text-anchor:middle" arcsize="20%" stroke="f" fillcolor="${colors.accent}"><w:anchorlock/>
<center dir="${dir}" style="color:${colors.onAccent};font-family:'Segoe UI',Arial,sans-serif;font-size:16px;font-weight:bold">${text}</center>
</v:roundrect>
<![endif]--><!--[if !mso]><!-->
<table role="presentation" dir="${dir}" cellpadding="0" cellspacing="0" border="0" style="border-collapse:separate"><tr><td class="button" style="background:${colors.accent};border-radius:10px"><a href="${href}" class="button" style="${buttonLinkStyle}">${text}</a></td></tr></table>
<!--<![endif]-->`;

const buttonLinkStyle =
  `display:inline-block;padding:13px 24px;color:${colors.onAccent};border-radius:10px;` +
  'font-weight:600;text-decoration:none';

/** Width of the VML shape, in pixels. Chinese and Japanese characters are as wide as they are high. */
const shapeWidth = (letters: number, tag: string): number =>
  Math.min(Math.max(48 + letters * typeOf(tag).letterWidth, 200), 500);
