import { asHtml, asPlainText, escapeHtml } from './isolate.ts';
import type { Block, WholeLetter } from './letter.ts';
import { colours, darkStyles, typeOf } from './look.ts';

/**
 * The HTML part. Inline styles, since mail programs drop style sheets (the one for dark is a bonus where it stays), and
 * `lang` and `dir` again on the outermost element, since some drop those of `html` and `body`.
 */
export function htmlPart(letter: WholeLetter): string {
  const { language, productName, greeting, body, footer } = letter;
  const subject = escapeHtml(asPlainText(letter.subject, language.dir));
  const direction = `lang="${language.tag}" dir="${language.dir}"`;
  const [first] = body;
  const preview = first?.kind === 'paragraph' ? asHtml(first.text) : '';
  return `<!doctype html>
<html ${direction}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${subject}</title>
<style>${darkStyles}</style>
</head>
<body class="ground" style="margin:0;padding:0;background:${colours.ground}">
<div style="display:none;max-height:0;overflow:hidden">${preview}</div>
<div ${direction} class="ground" style="${wholeStyle(language.tag)}">
<div style="max-width:560px;margin:0 auto;padding:24px 12px 32px">
<p style="margin:0 0 16px;padding:0 4px;font-weight:600">${asHtml(productName)}</p>
<div class="card" style="${cardStyle}">
<h1 style="margin:0 0 24px;font-size:24px;line-height:1.4;font-weight:600">${asHtml(letter.subject)}</h1>
${paragraph(greeting)}
${body.map((block) => blockHtml(block, letter)).join('\n')}
</div>
<div class="muted" style="padding:20px 4px 0;font-size:14px;color:${colours.muted}">
${footer.map((line) => `<p style="margin:0 0 8px">${asHtml(line)}</p>`).join('\n')}
</div>
</div>
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

const cardStyle = `padding:28px 24px 12px;background:${colours.surface};border:1px solid ${colours.hairline};border-radius:12px`;

const buttonStyle =
  `display:inline-block;padding:13px 24px;background:${colours.accent};color:${colours.onAccent};` +
  'border-radius:10px;font-weight:600;text-decoration:none';

const detailsStyle = `margin:0 0 16px;padding:10px 12px;background:${colours.ground};border-radius:8px`;

const linkStyle =
  `margin:0 0 24px;padding:10px 12px;background:${colours.ground};border-radius:8px;` +
  'font-size:14px;line-height:1.5;text-align:left;word-break:break-all';

const paragraph = (text: string): string => `<p style="margin:0 0 16px">${asHtml(text)}</p>`;

function blockHtml(block: Block, { linkAsText }: WholeLetter): string {
  if (block.kind === 'paragraph') return paragraph(block.text);
  if (block.kind === 'details')
    return `<p class="ground" style="${detailsStyle}">${block.lines.map(asHtml).join('<br>')}</p>`;
  const href = escapeHtml(block.link);
  return `<p style="margin:24px 0"><a href="${href}" class="button" style="${buttonStyle}">${asHtml(block.text)}</a></p>
<p class="muted" style="margin:0 0 8px;font-size:14px;color:${colours.muted}">${asHtml(linkAsText)}</p>
<p dir="ltr" class="ground" style="${linkStyle}"><a href="${href}" class="link" style="color:${colours.accent}">${href}</a></p>`;
}
