interface Cell {
  readonly dir: 'ltr' | 'rtl';
  /** For the style sheet of dark programs. */
  readonly className: string;
  readonly style: string;
}

/** A table of one cell as wide as its column: the one box that every mail program gives its ground and padding. */
export const cell = ({ dir, className, style }: Cell, html: string): string =>
  `<table role="presentation" dir="${dir}" width="100%" cellpadding="0" cellspacing="0" border="0" style="border-collapse:separate"><tr><td class="${className}" style="${style}">
${html}
</td></tr></table>`;
