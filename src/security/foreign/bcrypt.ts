import { Worker } from 'node:worker_threads';
import type { Scheme } from './scheme.ts';

/** `$2b$12$` and 53 characters, including the older variants. Only the first 72 bytes of the password count. */
export const bcrypt: Scheme = {
  form: /^\$2[aby]?\$(?<cost>\d\d)\$[./A-Za-z0-9]{53}$/,
  isBearable: ({ cost }) => Number(cost) >= 4 && Number(cost) <= 14,
  /** In a worker thread: this is JavaScript, and would block the event loop for a quarter of a second. */
  verify: (_, { hash, password }) =>
    new Promise((resolve, reject) => {
      const worker = new Worker(new URL('bcrypt-worker.ts', import.meta.url), { workerData: { hash, password } });
      worker.once('message', resolve);
      worker.once('error', reject);
    }),
};
