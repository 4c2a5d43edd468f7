import type { AssuranceLevel, Authentication, AuthenticationMethod } from '../contract/sign-in/authentication.ts';
import type { NamedSession } from '../store/access/named-sessions.ts';
import type { AccountsTable } from '../store/accounts/accounts.ts';
import type { StoreTransaction } from '../store/database.ts';
import type { Visitor } from '../store/visitor.ts';
import { type Method, type MethodName, methods } from './methods.ts';

/** The browser that a person signs in with. */
export interface Browser {
  readonly visitor: Visitor;
  /** The device cookie, if the browser has one. */
  readonly deviceToken: string | undefined;
  /** The browser's session that the new one replaces (OWASP ASVS 5.0, 7.2.4). */
  readonly formerSession: NamedSession | undefined;
  /** The computer is shared with others, so it does not become a known device. */
  readonly shared?: boolean | undefined;
}

/** Proof of a person's identity. */
export interface Proof {
  readonly method: MethodName;
  /** More exact than that of the method, such as for a passkey in hardware or after a second step. */
  readonly amr?: readonly AuthenticationMethod[];
  readonly acr?: AssuranceLevel;
  /**
   * Redeems the proof at the start of the admitting transaction: locks the account's row and returns it, or throws a
   * refusal if the proof is no longer valid.
   */
  redeem(trx: StoreTransaction, now: number): Promise<AccountsTable>;
  /** Changes the account in the same transaction, after shutting others out. */
  establish?(trx: StoreTransaction, established: Established): Promise<void>;
}

interface Established {
  readonly account: AccountsTable;
  /** Admission removed the entries made before the address was proven. */
  readonly isCleared: boolean;
  readonly now: number;
}

export interface Admission {
  readonly proof: Proof;
  readonly browser: Browser;
  /** Whether the browser has signed in to this account before. */
  readonly isKnown: boolean;
  readonly dbType?: string | undefined;
  /** The browser becomes a known device that needs no second step for 30 days. */
  readonly skipsSecondStep?: boolean;
}

/** How the person has proven who they are, and when (`auth_time`). */
export function authenticationBy({ method, amr, acr }: Proof, now: number): Authentication {
  const usual: Method = methods[method];
  return { authTime: now, amr: amr ?? usual.amr, acr: acr ?? usual.acr };
}
