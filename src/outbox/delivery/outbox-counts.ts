/** State of the outbox, for monitoring. */
export interface OutboxCounts {
  /** Emails still to be sent, across all nodes. */
  readonly queued: number;
  /** Age of the oldest of them in milliseconds; 0 if there are none. */
  readonly oldest: number;
  /** Sent by this process. */
  readonly sent: number;
  /** Given up by this process. */
  readonly failed: number;
  /** Held back by this process, because their addresses are on the suppression list. */
  readonly heldBack: number;
  /** Refusals that this process received and that someone has to fix. */
  readonly refused: number;
  /** Why the mail server accepts nothing from this process; undefined while it does. */
  readonly lastError: string | undefined;
}
