/** How the outbox is doing, for whoever watches it. */
export interface OutboxCounts {
  /** Letters still to be sent, of every node. */
  readonly queued: number;
  /** Age of the oldest of them in milliseconds, 0 when there is none. */
  readonly oldest: number;
  /** Sent by this process. */
  readonly sent: number;
  /** Given up by this process. */
  readonly failed: number;
  /** Not sent by this process, because mails to their addresses come back. */
  readonly heldBack: number;
  /** How often this process was refused with a mail for a reason that somebody has to mend. */
  readonly refused: number;
  /** Why the mail server takes nothing from this process; undefined while it does. */
  readonly fault: string | undefined;
}
