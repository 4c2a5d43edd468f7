/** Systems whose commands the page shows, and smartphones, which have an app instead. */
export type AddedSystem = 'windows' | 'macos' | 'linux' | 'smartphone';

/** Names are the same in every language; a smartphone has a text. */
export const systemNames = { windows: 'Windows', macos: 'macOS', linux: 'Linux' } as const;

interface Visitor {
  readonly userAgent: string;
  readonly maxTouchPoints?: number;
}

/** The system that shows this page. A tablet by Apple claims to be a Mac, but no Mac has a touch screen. */
export function visitorSystem({ userAgent, maxTouchPoints = 0 }: Visitor = navigator): AddedSystem {
  if (/Android|iPhone|iPad|iPod|Mobile/.test(userAgent)) return 'smartphone';
  if (userAgent.includes('Mac')) return maxTouchPoints > 1 ? 'smartphone' : 'macos';
  return userAgent.includes('Windows') ? 'windows' : 'linux';
}

/** All systems, the visitor's first. */
export function systemsFor(own: AddedSystem): readonly AddedSystem[] {
  const all: readonly AddedSystem[] = ['windows', 'macos', 'linux', 'smartphone'];
  return [own, ...all.filter((system) => system !== own)];
}
