import { expect, test } from 'vitest';
import { decryptPush, newPushBrowser } from '../testing/push-service.ts';
import { arePushKeys, encryptPush } from './web-push.ts';

test('the tests decrypt the example of RFC 8291', () => {
  const body =
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN';
  const keys = {
    privateKey: Buffer.from('q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94', 'base64url'),
    auth: Buffer.from('BTBZMqHH6r4Tts7J_aSIgg', 'base64url'),
  };
  expect(decryptPush(Buffer.from(body, 'base64url'), keys)).toBe('When I grow up, I want to be a watermelon');
});

test.each(['', 'صامت: مكتب', 'x'.repeat(3000)])('only its browser reads a message of %j', (text) => {
  const browser = newPushBrowser();
  const body = encryptPush(text, browser);
  expect(browser.decrypt(body)).toBe(text);
  expect(() => newPushBrowser().decrypt(body)).toThrow();
});

test.each([
  ['', ''],
  ['BAAA', newPushBrowser().auth],
  [Buffer.alloc(65, 4).toString('base64url'), newPushBrowser().auth],
  [newPushBrowser().p256dh, 'AAAA'],
])('the keys %j and %j are no keys of a browser', (p256dh, auth) => expect(arePushKeys({ p256dh, auth })).toBe(false));
