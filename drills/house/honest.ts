import { attempt, newBrowser, type Person, percentile } from './visitors.ts';

export interface Honest {
  readonly asked: number;
  readonly served: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** Milliseconds between two requests of one person. */
const pause = 25;

/** Somebody who looks at a page, stays signed in and signs in, one after the other, until told to stop. */
export function watchHonest(url: string, { email, password, browser }: Person) {
  const took: number[] = [];
  let served = 0;
  let isOver = false;
  const doings = [
    () => newBrowser(url).get('/'),
    () => browser.post('/auth/refresh'),
    () => newBrowser(url).post('/auth/login', { email, password }),
  ];
  const run = (async () => {
    for (let turn = 0; !isOver; turn += 1) {
      const began = performance.now();
      const answer = await attempt((doings[turn % doings.length] as (typeof doings)[number])());
      took.push(performance.now() - began);
      if (answer?.status === 200) served += 1;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  })();
  return async (): Promise<Honest> => {
    isOver = true;
    await run;
    return { asked: took.length, served, p50: percentile(took, 0.5), p99: percentile(took, 0.99) };
  };
}

export const cellsOfHonest = ({ asked, served, p50, p99 }: Honest) => ({
  'honest visitor served': `${served} of ${asked}`,
  'p50, p99, ms': `${p50}, ${p99}`,
});
