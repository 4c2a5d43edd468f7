import type { Mutation } from '../drill.ts';

export const mailMutations: readonly Mutation[] = [
  {
    mistake: 'a mail that is refused for now is given up',
    file: 'src/outbox/attempt.ts',
    from: 'if (error instanceof Undeliverable) return',
    to: 'if (error instanceof Error) return',
    scene: 'refusing (sqlite)',
  },
  {
    mistake: 'each try has a Message-ID of its own',
    file: 'src/outbox/attempt.ts',
    from: 'messageId: `<',
    to: 'messageId: letter.attempts + `<',
    scene: 'refusing (sqlite)',
  },
  {
    mistake: 'a mail is written down as sent before it is',
    file: 'src/outbox/attempt.ts',
    from: '    await sendMail(deps, letter);',
    to: '    await markSent(deps.store, { id: letter.id, at: deps.now() }).then(() => sendMail(deps, letter));',
    scene: 'kill -9 (sqlite)',
  },
  {
    mistake: 'what a dead process had claimed is nobody’s again',
    file: 'src/store/claim-letters.ts',
    from: ".where('outbox.leased_until', '<=', now)",
    to: ".where('outbox.leased_until', '=', 0)",
    scene: 'kill -9 (postgres)',
  },
  {
    mistake: 'what is being sent may be claimed once more',
    file: 'src/store/claim-letters.ts',
    from: ".where('outbox.leased_until', '<=', now)",
    to: ".where('outbox.leased_until', '>=', 0)",
    scene: 'slow (sqlite)',
  },
  {
    mistake: 'a link’s hour begins when its mail is written',
    file: 'src/store/reset-links.ts',
    from: "where('outbox.sent_at', '>', now - resetLinkLifetime)",
    to: "where('reset_links.created_at', '>', now - resetLinkLifetime)",
    scene: 'down for seventy minutes (sqlite)',
  },
  {
    mistake: 'the pauses grow to hours',
    file: 'src/outbox/backoff.ts',
    from: 'minutes(2), minutes(5)]',
    to: 'minutes(2), hours(5)]',
    scene: 'down for seventy minutes (sqlite)',
  },
];
