import { expect, it } from 'vitest';
import { systemsFor, visitorSystem } from './visitor-system.part.ts';

const safari =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Safari/605.1.15';

it.each([
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/150.0.0.0 Safari/537.36', 0, 'windows'],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/150.0.0.0 Safari/537.36', 10, 'windows'],
  [safari, 0, 'macos'],
  [safari, 5, 'smartphone'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148', 5, 'smartphone'],
  ['Mozilla/5.0 (Linux; Android 16; K) AppleWebKit/537.36 Chrome/150.0.0.0 Mobile Safari/537.36', 5, 'smartphone'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0', 0, 'linux'],
  ['Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 Chrome/150.0.0.0 Safari/537.36', 0, 'linux'],
] as const)('%s with %i touch points is %s', (userAgent, maxTouchPoints, system) => {
  expect(visitorSystem({ userAgent, maxTouchPoints })).toBe(system);
});

it('the visitor’s system comes first, and each system once', () =>
  expect(systemsFor('linux')).toEqual(['linux', 'windows', 'macos', 'smartphone']));
