import { minutes } from '../../contract/durations.ts';
import { singleUse } from '../single-use.ts';

/** How long a code works after it was requested. */
export const enrolmentLifetime = minutes(15);

/** A code that adds one computer to an account. */
export interface EnrolmentsTable {
  /** SHA-256 of the code. */
  code_hash: string;
  account_id: string;
  created_at: number;
  used_at: number | null;
}

declare module '../database.ts' {
  interface Database {
    enrolments: EnrolmentsTable;
  }
}

export const enrolments = singleUse('enrolments', { lifetime: enrolmentLifetime, keeps: true });
