import bowser from 'bowser';
import { unknownDevice } from '../contract/devices.ts';

/** What a browser or a system may be called in a letter of ours: whatever else a User-Agent says, a stranger has written. */
const known = new Set([...Object.values(bowser.BROWSER_MAP), ...Object.values(bowser.OS_MAP)]);

/** A device as its owner knows it, such as "Firefox, Windows". */
export function deviceName(userAgent: string): string {
  const { browser, os } = bowser.parse(userAgent || ' ');
  const names = [browser.name, os.name].filter((name) => name !== undefined && known.has(name));
  return names.join(', ') || unknownDevice;
}
