/** The tokens of `ui/tokens.css` that emails need: email clients do not support custom properties. */
export const colours = {
  text: '#14181f',
  muted: '#55606e',
  surface: '#ffffff',
  ground: '#f3f6fb',
  hairline: '#d5dae0',
  accent: '#1f5fbf',
  onAccent: '#ffffff',
  light: '#f2a93b',
} as const;

/** Overrides the inline styles in email clients that keep a style sheet and have a dark theme. */
export const darkStyles = `
:root { color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
.ground { background: #0f1318 !important; color: #e8ecf1 !important; }
.card { background: #161b22 !important; border-color: #313944 !important; color: #e8ecf1 !important; }
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
export const typeOf = (tag: string): typeof latin => scripts[tag] ?? latin;
