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
    mistake: 'an email is recorded as sent before it is sent',
    place: 'sent-before-it-is',
    change: { before: 'await markSent(deps.store, { id: email.id, at: deps.now() });' },
    scene: 'kill -9 (sqlite)',
  },
  {
    mistake: 'emails claimed by a dead process are never claimed again',
    place: 'dead-keep-their-lease',
    change: { word: ["'<=', now", "'=', 0"] },
    scene: 'kill -9 (postgres)',
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
    mistake: 'a server that was down for long is probed only every few hours',
    place: 'server-after-hours',
    change: { word: ['seconds(15)', 'hours(15)'] },
    scene: 'down for seventy minutes (sqlite)',
  },
  {
    mistake: 'the back-off of an email grows to hours',
    place: 'pauses-of-hours',
    change: { word: ['seconds(10)', 'hours(10)'] },
    scene: 'refusing (sqlite)',
  },
  {
    mistake: 'an email that the server received but did not acknowledge is retried only after hours',
    place: 'copies-after-hours',
    change: { word: ['minutes(2)', 'hours(2)'] },
    scene: 'killed after DATA (sqlite)',
  },
  {
    mistake: 'an unacknowledged email counts as sent',
    place: 'unacknowledged-is-sent',
    change: {
      before:
        "if (error instanceof Unacknowledged) return markSent(deps.store, { id: email.id, at: deps.now() }).then(() => 'sent' as const);",
    },
    scene: 'killed after DATA (sqlite)',
  },
  {
    mistake: 'a lease ends while its email is still being sent',
    place: 'lease-ends-early',
    change: { number: 50 },
    scene: 'src/outbox/delivery/claims.test.ts',
  },
  {
    mistake: 'a node releases an email that another node has claimed since',
    place: 'releases-others-claims',
    change: 'remove',
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
  {
    mistake: 'urgent emails go to an address that is known to be unreachable',
    place: 'urgent-goes-anyway',
    change: { value: (comesBack) => `urgent === 0 && ${comesBack}` },
    scene: 'src/outbox/delivery/suppressed-urgent.test.ts',
  },
];
