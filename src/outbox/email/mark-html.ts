import { colours } from './email-theme.ts';

const table = (size: string, inside: string): string =>
  `<table role="presentation" ${size} cellpadding="0" cellspacing="0" border="0" align="center" style="border-collapse:separate"><tr>${inside}</tr></table>`;

const door = table(
  'width="7" height="14"',
  `<td width="7" height="14" style="width:7px;height:14px;background:${colours.light};border-radius:4px 4px 0 0;font-size:0;line-height:0">&nbsp;</td>`,
);

const frame = table(
  'width="17" height="18"',
  `<td width="13" height="16" align="center" valign="bottom" style="width:13px;height:16px;padding:0;border:2px solid ${colours.onAccent};border-bottom:0;border-radius:9px 9px 0 0;font-size:0;line-height:0">${door}</td>`,
);

/**
 * The logo of `ui/layouts/logo.tsx`, built from table cells: email clients block images or ask first, and drop SVG. It
 * looks like a door even without rounded corners.
 */
export const markHtml = table(
  'width="32" height="32" aria-hidden="true"',
  `<td width="32" height="32" align="center" valign="bottom" style="width:32px;height:32px;padding:0 0 6px;box-sizing:border-box;background:${colours.accent};border-radius:9px;font-size:0;line-height:0">${frame}</td>`,
);
