import type { Mutation } from '../drill.ts';

export const callMutations: readonly Mutation[] = [
  {
    mistake: 'no second provider is tried',
    file: 'src/phone-calls/calls.ts',
    from: 'of candidates.entries())',
    to: 'of candidates.slice(0, 1).entries())',
    scene: 'webhook: broken connection',
  },
  {
    mistake: 'the first provider may use all the time',
    file: 'src/phone-calls/calls.ts',
    from: 'providers === 1 ? left :',
    to: 'providers >= 1 ? left :',
    scene: 'ucaller: slow (never responds)',
  },
  {
    mistake: 'all providers together may use more than five seconds',
    file: 'src/phone-calls/calls.ts',
    from: 'const answerWithin = seconds(4.5);',
    to: 'const answerWithin = seconds(9);',
    scene: 'no provider responds',
  },
  {
    mistake: 'a failed provider is asked again',
    file: 'src/phone-calls/calls.ts',
    from: 'of candidates.entries())',
    to: 'of [...candidates, ...candidates].entries())',
    scene: 'no provider responds',
  },
  {
    mistake: 'a failed webhook counts as a placed call',
    file: 'src/phone-calls/providers/webhook.ts',
    from: 'await post({ id, phone, code, locale, ip }, signal)',
    to: 'await post({ id, phone, code, locale, ip }, signal).catch(() => ({ status: 200, body: {} }))',
    scene: 'webhook: 500',
  },
  {
    mistake: 'an empty account counts as a placed call',
    file: 'src/phone-calls/providers/ucaller.ts',
    from: 'if (!refused.success) return answer;',
    to: 'if (!refused.success || refused.data) return { status: 200, body: { status: true } };',
    scene: 'ucaller: low balance',
  },
  {
    mistake: 'our digits are expected although the provider chose its own',
    file: 'src/journeys/confirm-phone/calls/place-call.ts',
    from: "placed.kind === 'theirs' ? placed.code : code",
    to: "placed.kind === 'theirs' ? code : code",
    scene: 'ucaller: 500',
  },
  {
    mistake: 'the response contains the digits',
    file: 'src/journeys/confirm-phone/calls/place-call.ts',
    from: '...waitingFor(id, callLifetime)',
    to: '...waitingFor(id + "-" + code, callLifetime)',
    scene: 'smsru: 500',
  },
];
