import { expect, test } from 'vitest';
import { cookieLifetime, localeCookieLifetime } from '../contract/pages.ts';
import { days } from '../contract/units.ts';
import * as constants from './constants.ts';

test('the constants have the values of section 9 of the specification', () => {
  expect({ ...constants }).toEqual({
    timerLimit: 2_147_483_647,
    reloadGuard: 10_000,
    headDebounce: 10,
    uploadChunkBytes: 65_536,
    tooltipDelay: 200,
    popupDispose: 150,
    menuHide: 400,
  });
  expect([cookieLifetime, localeCookieLifetime]).toEqual([days(1), days(365)]);
});
