import { seconds } from '../../contract/durations.ts';
import { after } from '../platform/timer.ts';
import { overdueAfter } from '../requests/overdue.ts';

export interface Unanswered {
  readonly message: 'frame.unreached' | 'frame.overdue';
  readonly retry: () => void;
}

/** One attempt to load or check the page at an address. */
interface PendingNavigation {
  readonly url: URL;
  readonly overtaken: () => boolean;
  readonly retry: () => void;
  readonly update: (change: { slow?: boolean; unanswered?: Unanswered }) => void;
  readonly failed: (error: unknown, url: URL, retry: () => void) => Promise<void>;
}

/** Runs a navigation and shows that it is slow, overdue or failed. */
export async function follow({ url, overtaken, retry, update, failed }: PendingNavigation, work: () => Promise<void>) {
  const clocks = [
    after(seconds(1), () => overtaken() || update({ slow: true })),
    after(overdueAfter, () => overtaken() || update({ unanswered: { message: 'frame.overdue', retry } })),
  ];
  try {
    await work();
  } catch (error) {
    if (!overtaken()) await failed(error, url, retry);
  } finally {
    for (const stop of clocks) stop();
    if (!overtaken()) update({ slow: false });
  }
}
