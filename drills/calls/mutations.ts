import type { Mutation } from '../drill.ts';

export const callMutations: readonly Mutation[] = [
  {
    mistake: 'no second provider is tried',
    place: 'no-second-provider',
    change: { value: (all) => `[...${all}].slice(0, 1)` },
    scene: 'webhook: broken connection',
  },
  {
    mistake: 'the first provider may use all the time',
    place: 'first-takes-all',
    change: { word: ['candidates.length - index', '1'] },
    scene: 'ucaller: slow (never responds)',
  },
  {
    mistake: 'all providers together may use more than five seconds',
    place: 'nine-seconds-in-all',
    change: { word: ['deadline', 'deadline + 4_500'] },
    scene: 'no provider responds',
  },
  {
    mistake: 'a failed provider gets a second request',
    place: 'failed-provider-again',
    change: { value: (all) => `[...${all}].flatMap((one) => [one, one])` },
    scene: 'no provider responds',
  },
  {
    mistake: 'a failed webhook counts as a placed call',
    place: 'failed-webhook-called',
    change: { value: (called) => `await (async () => ${called})().catch(() => ({ code: undefined }))` },
    scene: 'webhook: 500',
  },
  {
    mistake: 'an empty account counts as a placed call',
    place: 'refusal-is-a-call',
    change: { before: 'return { status: 200, body: { status: true } };' },
    scene: 'ucaller: low balance',
  },
  {
    mistake: 'our digits are expected although the provider chose its own',
    place: 'our-digits',
    change: { word: ['placed.code', 'code'] },
    scene: 'ucaller: 500',
  },
  {
    mistake: 'the response contains the digits',
    place: 'digits-given-away',
    change: { word: ['id', 'id + "-" + code'] },
    scene: 'smsru: 500',
  },
  {
    mistake: 'a provider that waited too long for the request counts as one that certainly did not call',
    place: 'timeout-is-clear',
    change: { word: ['&& status !== 408', ''] },
    scene: 'src/phone-calls/requests/request-timeout.test.ts',
  },
  {
    mistake: 'a phone may ring any number of times for providers that never responded',
    place: 'silent-rings-uncounted',
    change: { value: () => '[] as { id: string; key: string; at: number }[]' },
    scene: 'src/journeys/confirm-phone/calls/silent-providers.test.ts',
  },
  {
    mistake: 'unconfirmed calls are not limited by country',
    place: 'no-country-cap',
    change: { number: 3000 },
    scene: 'toll fraud',
  },
  {
    mistake: 'unconfirmed calls are not limited by range',
    place: 'no-range-cap',
    change: 'remove',
    scene: 'src/journeys/confirm-phone/calls/fraud-caps.test.ts',
  },
  {
    mistake: 'an account that gave a number without confirming it has the limits of its owner',
    place: 'written-number-counts-as-own',
    change: { word: ['&& account.phone_confirmed_at !== null', ''] },
    scene: 'src/journeys/confirm-phone/ways.test.ts',
  },
  {
    mistake: 'another browser takes over a wait for a call from the phone',
    place: 'wait-taken-over',
    change: { value: () => 'false' },
    scene: 'src/journeys/confirm-phone/ways.test.ts',
  },
];
