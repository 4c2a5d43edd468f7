import type { Mutation } from '../drill.ts';

export const secondStepMutations: readonly Mutation[] = [
  {
    mistake: 'a code of an authenticator works on each node',
    place: 'code-works-twice',
    change: 'remove',
    scene: 'one code of an authenticator app, in four sign-ins of each of five people',
  },
  {
    mistake: 'a recovery code works again while its first use is decided',
    place: 'recovery-code-works-twice',
    change: { value: () => 'true' },
    scene: 'one recovery code, in four sign-ins of each of five people',
  },
  {
    mistake: 'parallel responses share the challenge of a passkey',
    place: 'challenge-used-again',
    change: 'remove',
    scene: 'one response to the challenge of a passkey, ten times',
  },
  {
    mistake: 'each sign-in has wrong codes of its own',
    place: 'codes-counted-apart',
    change: { word: ['opened.account.id', 'opened.pending.token_hash'] },
    scene: '12 wrong codes in 12 sign-ins',
  },
  {
    mistake: 'a removal takes effect although its owner stopped it',
    place: 'stopped-removal-applied',
    change: 'remove',
    scene: '60 owners stop the removal of their second step while it takes effect',
  },
  {
    mistake: 'a remembered browser skips the second step even if it is shared',
    place: 'remembered-anywhere',
    change: { word: ['!shared && ', ''] },
    scene: 'src/journeys/second-step/second-step.test.ts',
  },
  {
    mistake: 'a copied cookie completes a sign-in in another browser',
    place: 'pending-in-another-browser',
    change: 'remove',
    scene: 'src/journeys/second-step/second-step.test.ts',
  },
  {
    mistake: 'an account can have any number of passkeys',
    place: 'unlimited-passkeys',
    change: 'remove',
    scene: 'src/journeys/passkeys/manage/manage-passkeys.test.ts',
  },
  {
    mistake: 'a reset keeps the passkey and second step that a thief just added',
    place: 'reset-keeps-what-a-thief-added',
    change: { word: ["'password_reset'", "'address_changed'"] },
    scene: 'src/journeys/recover-password/added-credentials.test.ts',
  },
  {
    mistake: 'a reset removes what the owner added on a device of long standing',
    place: 'reset-distrusts-old-devices',
    change: { word: ['addedSince - sessionLifetime', '0'] },
    scene: 'src/journeys/recover-password/added-credentials.test.ts',
  },
];
