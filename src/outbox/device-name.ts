import bowser from 'bowser';

/** A device as its owner knows it, such as "Firefox, Windows". Only known names, since a User-Agent could say anything. */
export function deviceName(userAgent: string): string {
  const { browser, os } = bowser.parse(userAgent || ' ');
  const known = [browser.name, os.name].filter(Boolean).join(', ');
  return known || '–';
}
