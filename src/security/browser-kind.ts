import bowser from 'bowser';

/** The browser and its system, without versions: after an update of either, it is still the same browser. */
export function browserKind(userAgent: string): string {
  const { browser, os, platform } = bowser.parse(userAgent || ' ');
  return [browser.name, os.name, platform.type].join('|');
}
