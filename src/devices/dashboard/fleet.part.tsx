import { useMemo } from 'react';
import { Paragraph, Text } from '../../browser/language/text.tsx';
import { useNow } from '../../browser/language/times.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import type { ResponseBody } from '../../contract/endpoint.ts';
import { seconds } from '../../contract/units.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/layouts/card.tsx';
import { GhostRows } from '../../ui/layouts/page-head.tsx';
import { listComputers } from '../contract/computers.ts';
import { type Seen, seenAfter } from './devices/device-state.part.tsx';
import { type Live, useLive, useNews } from './live.part.tsx';

/** The account's devices, read again whenever the account has news. */
export interface Fleet {
  readonly live: Live<ResponseBody<typeof listComputers>>;
  /** Their current states; undefined until they were read. */
  readonly seen: readonly Seen[] | undefined;
  /** The current time: milliseconds since the epoch. */
  readonly now: number;
  /** How often the account had news. */
  readonly news: number;
}

/** Milliseconds between two looks at how long devices have been silent. */
const step = seconds(20);

export function useFleet(): Fleet {
  const [news] = useNews();
  const live = useLive(news, async (signal) => {
    return sendRequest(listComputers, { signal });
  });
  const now = useNow();
  const { answer } = live;
  const since = Math.floor(Math.max(0, now - live.at) / step) * step;
  // The same objects as long as nothing changes, so that the rows of a long table are not rendered again.
  const seen = useMemo(() => answer?.computers.map((computer) => seenAfter(computer, since)), [answer, since]);
  return { live, seen, now, news };
}

/** Replaces the list of devices while there are none. */
export const Empty = () => (
  <Card>
    <GhostRows />
    <h2>
      <Text id="dashboard.empty_title" />
    </h2>
    <Paragraph id="dashboard.empty_text" />
    <ButtonLink to="/computers/add/" label="dashboard.add" narrow />
  </Card>
);
