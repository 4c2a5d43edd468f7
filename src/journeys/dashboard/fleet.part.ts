import { useMemo, useState } from 'react';
import { useNow } from '../../browser/language/times.ts';
import { useAccountEvents } from '../../browser/requests/account-events.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import { listComputers } from '../../contract/computers/computers.ts';
import { seconds } from '../../contract/durations.ts';
import type { ResponseBody } from '../../contract/endpoint.ts';
import { type Seen, seenAfter } from './devices/device-state.part.tsx';
import { type Live, useLive } from './live.part.tsx';

/** The account's devices, read again whenever the account has news. */
export interface Fleet {
  readonly live: Live<ResponseBody<typeof listComputers>>;
  /** Their current states; undefined until they were read. */
  readonly seen: readonly Seen[] | undefined;
  /** The current time: milliseconds since the epoch. */
  readonly now: number;
  /** How often the account had news. */
  readonly news: number;
  /** Reads everything again, after a change. */
  readonly reread: () => void;
}

/** Counts the news of the account. */
export function useNews(): readonly [news: number, tell: () => void] {
  const [news, setNews] = useState(0);
  const tell = () => setNews((before) => before + 1);
  useAccountEvents(tell);
  return [news, tell];
}

/** Milliseconds between two looks at how long devices have been silent. */
const step = seconds(20);

export function useFleet(): Fleet {
  const [news, reread] = useNews();
  const live = useLive(news, async (signal) => {
    return sendRequest(listComputers, { signal });
  });
  const now = useNow();
  const { answer } = live;
  const since = Math.floor(Math.max(0, now - live.at) / step) * step;
  // The same objects as long as nothing changes, so that the rows of a long table are not rendered again.
  const seen = useMemo(() => answer?.computers.map((computer) => seenAfter(computer, since)), [answer, since]);
  return { live, seen, now, news, reread };
}
