import bowser from 'bowser';

/** Which browser on which system, whatever their versions: an update of either makes no other one of it. */
export function browserKind(userAgent: string): string {
  const { browser, os, platform } = bowser.parse(userAgent || ' ');
  return [browser.name, os.name, platform.type].join('|');
}
