import { solve } from './solve.ts';

// Outside of the page's thread, which stays responsive. A failure reaches the page as an `error` event.
addEventListener('message', ({ data }: MessageEvent<string>) => {
  postMessage(solve(data));
});
