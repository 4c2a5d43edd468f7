import bowser from 'bowser';
import { unknownBrowser } from '../contract/activity.ts';

/** Browser and system names that our emails may contain: a stranger can write anything else into a User-Agent. */
const known = new Set([...Object.values(bowser.BROWSER_MAP), ...Object.values(bowser.OS_MAP)]);

/** Names a device for its owner, such as "Firefox, Windows". */
export function deviceName(userAgent: string): string {
  const { browser, os } = bowser.parse(userAgent || ' ');
  const names = [browser.name, os.name].filter((name) => name !== undefined && known.has(name));
  return names.join(', ') || unknownBrowser;
}

/** The browser and its system, without versions: after an update of either, it is still the same browser. */
export function browserKind(userAgent: string): string {
  const { browser, os, platform } = bowser.parse(userAgent || ' ');
  return [browser.name, os.name, platform.type].join('|');
}
