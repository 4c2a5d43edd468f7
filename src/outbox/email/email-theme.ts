/** The tokens of `ui/tokens.css`, as far as a mail has use for them; a mail program knows no custom properties. */
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

/** Against the inline styles, for the programs that keep a style sheet and know a dark theme. */
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
  /** Pixels that a letter of a button is wide at most, on average. */
  letterWidth: 10,
};

/** Arabic, Japanese and Chinese have fonts of their own, and need more room between lines. */
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

/** How the letters of a language (BCP 47 tag) are set. */
export const typeOf = (tag: string): typeof latin => scripts[tag] ?? latin;
