import type { Mutation } from '../drill.ts';

export const mailMutations: readonly Mutation[] = [
  {
    mistake: 'a temporarily refused email is given up',
    file: 'src/outbox/delivery/attempt.ts',
    from: 'if (error instanceof Undeliverable) return',
    to: 'if (error instanceof Error) return',
    scene: 'refusing (sqlite)',
  },
  {
    mistake: 'each attempt has its own Message-ID',
    file: 'src/outbox/delivery/attempt.ts',
    from: 'messageId: `<',
    to: 'messageId: letter.attempts + `<',
    scene: 'refusing (sqlite)',
  },
  {
    mistake: 'an email is recorded as sent before it is sent',
    file: 'src/outbox/delivery/attempt.ts',
    from: '    await sendMail(deps, letter);',
    to: '    await markSent(deps.store, { id: letter.id, at: deps.now() }).then(() => sendMail(deps, letter));',
    scene: 'kill -9 (sqlite)',
  },
  {
    mistake: 'emails claimed by a dead process are never claimed again',
    file: 'src/store/letters/claim-letters.ts',
    from: ".where('outbox.leased_until', '<=', now)",
    to: ".where('outbox.leased_until', '=', 0)",
    scene: 'kill -9 (postgres)',
  },
  {
    mistake: 'sending times out after one second although the server takes two, and is repeated',
    file: 'src/outbox/smtp/smtp.ts',
    from: 'longestSend: seconds(40)',
    to: 'longestSend: seconds(1)',
    scene: 'slow (sqlite)',
  },
  {
    mistake: 'the hour of a link starts when its email is written',
    file: 'src/store/access/reset-links.ts',
    from: "where('outbox.sent_at', '>', now - resetLinkLifetime)",
    to: "where('reset_links.created_at', '>', now - resetLinkLifetime)",
    scene: 'down for seventy minutes (sqlite)',
  },
  {
    mistake: 'a server that was down for long is probed only every few hours',
    file: 'src/outbox/delivery/backoff.ts',
    from: 'seconds(10), seconds(15)]',
    to: 'seconds(10), hours(15)]',
    scene: 'down for seventy minutes (sqlite)',
  },
  {
    mistake: 'the back-off of an email grows to hours',
    file: 'src/outbox/delivery/backoff.ts',
    from: 'const pauses = [seconds(2), seconds(10),',
    to: 'const pauses = [seconds(2), hours(10),',
    scene: 'refusing (sqlite)',
  },
  {
    mistake: 'a mail that the server has and did not acknowledge is tried again after hours',
    file: 'src/outbox/delivery/backoff.ts',
    from: 'const pausesOfUnacknowledged = [minutes(2),',
    to: 'const pausesOfUnacknowledged = [hours(2),',
    scene: 'killed after DATA (sqlite)',
  },
  {
    mistake: 'a mail that the server has and did not acknowledge counts as sent',
    file: 'src/outbox/delivery/attempt.ts',
    from: '    if (error instanceof Unacknowledged) return waitForSilence(',
    to: "    if (error instanceof Unacknowledged) return markSent(deps.store, { id: letter.id, at: deps.now() }).then(() => 'sent' as const);\n    if (error instanceof Unacknowledged) return waitForSilence(",
    scene: 'killed after DATA (sqlite)',
  },
];
