import type { Mutation } from '../drill.ts';

export const callMutations: readonly Mutation[] = [
  {
    mistake: 'no second provider is asked',
    file: 'src/phone-calls/calls.ts',
    from: 'of candidates.entries())',
    to: 'of candidates.slice(0, 1).entries())',
    scene: 'webhook: connection broken',
  },
  {
    mistake: 'the first provider may take all the time',
    file: 'src/phone-calls/calls.ts',
    from: 'providers === 1 ? left :',
    to: 'providers >= 1 ? left :',
    scene: 'ucaller: slow (never answers)',
  },
  {
    mistake: 'all providers together may take longer than five seconds',
    file: 'src/phone-calls/calls.ts',
    from: 'const answerWithin = seconds(4.5);',
    to: 'const answerWithin = seconds(9);',
    scene: 'nobody answers',
  },
  {
    mistake: 'who has failed is asked again',
    file: 'src/phone-calls/calls.ts',
    from: 'of candidates.entries())',
    to: 'of [...candidates, ...candidates].entries())',
    scene: 'nobody answers',
  },
  {
    mistake: 'a webhook that fails counts as one that has called',
    file: 'src/phone-calls/providers/webhook.ts',
    from: 'await post({ id, phone, code, locale, ip }, signal)',
    to: 'await post({ id, phone, code, locale, ip }, signal).catch(() => ({ status: 200, body: {} }))',
    scene: 'webhook: 500',
  },
  {
    mistake: 'an empty account counts as a call that was placed',
    file: 'src/phone-calls/providers/ucaller.ts',
    from: 'if (!refused.success) return answer;',
    to: 'if (!refused.success || refused.data) return { status: 200, body: { status: true } };',
    scene: 'ucaller: low balance',
  },
  {
    mistake: 'our digits are expected where the provider chose its own',
    file: 'src/journeys/confirm-phone/calls/place-call.ts',
    from: "placed.kind === 'theirs' ? placed.code : code",
    to: "placed.kind === 'theirs' ? code : code",
    scene: 'ucaller: 500',
  },
  {
    mistake: 'the answer gives the digits away',
    file: 'src/journeys/confirm-phone/calls/place-call.ts',
    from: '...waitingFor(id, callLifetime)',
    to: '...waitingFor(id + "-" + code, callLifetime)',
    scene: 'smsru: 500',
  },
  {
    mistake: 'calls that nobody confirms are not limited by country',
    file: 'src/journeys/confirm-phone/calls/fraud-caps.ts',
    from: 'const anyCountry = 30;',
    to: 'const anyCountry = 3000;',
    scene: 'toll fraud',
  },
];
