import { verify } from '@node-rs/argon2';
import type { Scheme } from './scheme.ts';

const mostKibibytes = 512 * 1024;

/** PHC string of any variant: `$argon2id$v=19$m=65536,t=3,p=4$salt$hash`. */
export const argon2: Scheme = {
  form: /^\$argon2(?:id|i|d)\$(?:v=\d+\$)?m=(?<memory>\d{1,7}),t=(?<time>\d{1,3}),p=(?<lanes>\d{1,2})\$[\w+/]{11,}\$[\w+/]{16,}$/,
  isBearable: ({ memory, time, lanes }) => Number(memory) <= mostKibibytes && Number(time) <= 20 && Number(lanes) <= 16,
  verify: (_, { hash, password }) => verify(hash, password),
};
