import type { SigningKey } from '../security/access-tokens.ts';
import type { Store } from '../store/database.ts';
import type { Cookies } from './cookies.ts';

/** What every call at the edge needs; each journey adds what its decisions need. */
export interface HttpDeps {
  readonly store: Store;
  readonly keyring: {
    readonly accessTokens: readonly SigningKey[];
    readonly refreshTokens: readonly Buffer[];
    readonly csrf: readonly Buffer[];
  };
  readonly cookies: Cookies;
  readonly settings: { readonly PUBLIC_URL: string };
  /** Milliseconds since the epoch. */
  now(): number;
}
