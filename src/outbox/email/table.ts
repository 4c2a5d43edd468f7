interface Cell {
  readonly dir: 'ltr' | 'rtl';
  /** For the dark style sheet. */
  readonly className: string;
  readonly style: string;
}

/** A table with one cell of full width: the only box that gets its background and padding in every email client. */
export const cell = ({ dir, className, style }: Cell, html: string): string =>
  `<table role="presentation" dir="${dir}" width="100%" cellpadding="0" cellspacing="0" border="0" style="border-collapse:separate"><tr><td class="${className}" style="${style}">
${html}
</td></tr></table>`;
