import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { foreignVerifier, noHash } from './foreign/hashes.ts';

/** The cost of a hash; memory in KiB. */
export interface HashCost {
  readonly memoryCost: number;
  readonly timeCost: number;
}

/** OWASP Password Storage Cheat Sheet, Argon2id. The algorithm is the library's default. */
const fullCost: HashCost = { memoryCost: 19_456, timeCost: 2 };

export interface Passwords {
  /** PHC string with a fresh 16-byte salt. About 11 ms in libuv's thread pool: call it through the hash gate. */
  hash(password: string): Promise<string>;
  /** Whether the password matches the hash. Without a hash, it spends the same time on one that matches no password. */
  verify(hash: string | undefined, password: string): Promise<boolean>;
  /** Whether the hash is from another service, or has other parameters than the current ones. */
  isOutdated(hash: string): boolean;
}

/**
 * `pepper` is an operator's secret that goes into every hash; empty means no pepper. Only tests hash at another cost than
 * the full one.
 */
export function openPasswords(pepper: string | undefined, cost = fullCost): Passwords {
  const parameters = { ...cost, parallelism: 1, outputLen: 32 };
  const current = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${parameters.parallelism}$`;
  const options = pepper ? { ...parameters, secret: Buffer.from(pepper) } : parameters;
  // Its tag is arbitrary: no password produces it.
  const dummyHash = `${current}${Buffer.alloc(16, 7).toString('base64').replaceAll('=', '')}$${Buffer.alloc(32, 7).toString('base64').replaceAll('=', '')}`;
  const inSlot = openSlots(availableParallelism());
  return {
    hash: (password) => inSlot(() => hash(password, options)),
    async verify(known, password) {
      const foreign = known === noHash ? undefined : known && foreignVerifier(known);
      if (foreign) return inSlot(() => foreign(password));
      const own = known === noHash ? undefined : known;
      return (await inSlot(() => verify(own ?? dummyHash, password, options))) && own !== undefined;
    },
    isOutdated: (known) => !known.startsWith(current),
  };
}

/** Runs at most `count` in parallel and queues the others: more than there are processors would slow all down. */
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
