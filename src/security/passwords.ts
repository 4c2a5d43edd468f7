import { availableParallelism } from 'node:os';
// mutation: hashes-in-the-way
import { hash, verify } from '@node-rs/argon2';
import { foreignVerifier, noHash } from './foreign/hashes.ts';

/** OWASP Password Storage Cheat Sheet, Argon2id; memory in KiB. The algorithm is the library's default. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 } as const;
const current = `$argon2id$v=19$m=${parameters.memoryCost},t=${parameters.timeCost},p=${parameters.parallelism}$`;

export interface Passwords {
  /** PHC string with a fresh 16-byte salt. About 11 ms in libuv's thread pool: call it through the hash gate. */
  hash(password: string): Promise<string>;
  /** Whether the password is the hash's; without a hash the same time is spent on one that nobody has. */
  verify(hash: string | undefined, password: string): Promise<boolean>;
  /** Whether the hash was made elsewhere, or with other parameters than today's. */
  isOutdated(hash: string): boolean;
}

/** `pepper` is a secret of the operator that is mixed into every hash; empty means none. */
export function openPasswords(pepper: string | undefined): Passwords {
  const options = pepper ? { ...parameters, secret: Buffer.from(pepper) } : parameters;
  // Its tag is arbitrary: no password has it.
  const nobodys = `${current}${Buffer.alloc(16, 7).toString('base64').replaceAll('=', '')}$${Buffer.alloc(32, 7).toString('base64').replaceAll('=', '')}`;
  const inSlot = openSlots(availableParallelism());
  return {
    hash: (password) => inSlot(() => hash(password, options)),
    async verify(known, password) {
      const foreign = known === noHash ? undefined : known && foreignVerifier(known);
      if (foreign) return inSlot(() => foreign(password));
      const own = known === noHash ? undefined : known;
      return (await inSlot(() => verify(own ?? nobodys, password, options))) && own !== undefined;
    },
    isOutdated: (known) => !known.startsWith(current),
  };
}

/** Runs as many at once as there are slots, the others in their order: more than there are processors makes all slower. */
function openSlots(count: number) {
  const waiting: (() => void)[] = [];
  let free = count;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}
