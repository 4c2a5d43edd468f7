import type { Mutation } from '../drill.ts';

export const mailMutations: readonly Mutation[] = [
  {
    mistake: 'a temporarily refused email is given up',
    place: 'given-up-early',
    change: { value: () => 'true' },
    scene: 'refusing (sqlite)',
  },
  {
    mistake: 'each attempt has its own Message-ID',
    place: 'message-id-by-try',
    change: { value: (id) => `email.attempts + ${id}` },
    scene: 'refusing (sqlite)',
  },
  {
    mistake: 'sending times out after one second although the server takes two, and is repeated',
    place: 'slow-server',
    change: { number: 1 },
    scene: 'slow (sqlite)',
  },
  {
    mistake: 'the hour of a link starts when its email is written',
    place: 'hour-from-writing',
    change: { word: ["'outbox.sent_at', '>'", "'reset_links.created_at', '>'"] },
    scene: 'down for seventy minutes (sqlite)',
  },
  {
    mistake: 'a lease ends while its email is still being sent',
    place: 'lease-ends-early',
    change: { number: 50 },
    scene: 'src/outbox/delivery/claims.test.ts',
  },
  {
    mistake: 'every email that fails probes a mail server that is known to be down',
    place: 'looks-while-closed',
    change: { word: ['outage === undefined', 'true'] },
    scene: 'src/outbox/delivery/circuit-breaker.test.ts',
  },
  {
    mistake: 'a server that refuses our sender makes its recipients unreachable',
    place: 'refused-sender-is-unknown-recipient',
    change: { value: () => '() => false' },
    scene: 'src/outbox/smtp/smtp.test.ts',
  },
  {
    mistake: 'an expired certificate of Amazon SNS still verifies events',
    place: 'expired-certificate',
    change: { value: () => 'true' },
    scene: 'src/journeys/email-webhooks/expired-certificate.test.ts',
  },
];
