import type { IncomingMessage, ServerResponse } from 'node:http';

interface Limits {
  /** Streams at the same time, of one account and of this node. */
  readonly perAccount: number;
  readonly perNode: number;
}

/** One request and its response, whose slot is free again as soon as either side closes the connection. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export interface Slot {
  /** The connection is closed, or the slot was released. */
  readonly isFree: boolean;
  /** Counts the slot for an account; false if the account is at its limit. Synchronous, so requests cannot race. */
  assign(accountId: string): boolean;
  /** Runs when the slot is released; immediately if it already was. */
  onFree(stop: () => void): void;
  release(): void;
}

const isClosed = ({ request, response }: Exchange): boolean => request.socket.destroyed || response.closed;

/** Slots for responses that stay open: each is taken before the first `await` and released by the connection itself. */
export function openStreamSlots({ perAccount, perNode }: Limits) {
  const taken = new Map<Slot, Exchange>();
  const ofAccounts = new Map<string, number>();

  function take(exchange: Exchange): Slot {
    const { request, response } = exchange;
    const stops: (() => void)[] = [];
    let account: string | undefined;

    function release(): void {
      if (!taken.delete(slot)) return;
      response.off('close', release);
      request.socket.off('close', release);
      if (account !== undefined) countDown(account);
      for (const stop of stops) stop();
    }
    const slot: Slot = {
      get isFree() {
        return !taken.has(slot);
      },
      assign(accountId) {
        const count = ofAccounts.get(accountId) ?? 0;
        if (slot.isFree || count >= perAccount) return false;
        ofAccounts.set(accountId, count + 1);
        account = accountId;
        return true;
      },
      onFree(stop) {
        if (slot.isFree) stop();
        else stops.push(stop);
      },
      release,
    };
    taken.set(slot, exchange);
    response.once('close', release);
    // A response that waits behind another one on the same connection emits no `close`.
    request.socket.once('close', release);
    if (isClosed(exchange)) release();
    return slot;
  }

  function countDown(accountId: string): void {
    const left = (ofAccounts.get(accountId) ?? 0) - 1;
    if (left > 0) ofAccounts.set(accountId, left);
    else ofAccounts.delete(accountId);
  }

  return {
    /** Takes one of this node's slots before anything is awaited; undefined if none is free. */
    take: (exchange: Exchange): Slot | undefined => (taken.size < perNode ? take(exchange) : undefined),
    /** Releases slots whose connection closed without an event. Returns their number. */
    sweep(): number {
      const closed = [...taken].filter(([, exchange]) => isClosed(exchange));
      for (const [slot] of closed) slot.release();
      return closed.length;
    },
    count: (): number => taken.size,
  };
}
