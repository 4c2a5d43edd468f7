import type { Kysely } from 'kysely';
import { createIndexOnline } from './online.ts';

export const oldestCode = '0001-baseline';

/** The menu of each page counts them. */
export const upOnline = (db: Kysely<unknown>): Promise<void> =>
  createIndexOnline(db, { name: 'incidents_open', on: 'incidents (account_id) where due_at is not null' });
