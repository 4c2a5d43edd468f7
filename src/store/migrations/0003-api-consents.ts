import { type Kysely, sql } from 'kysely';

/** Older code leaves the new columns at their defaults: no API is granted, and every claim has its usual name. */
export const oldestCode = '0001-baseline';

/** What a client is for APIs, its names of claims, and the APIs that a person granted it with their scopes. */
export async function up(db: Kysely<any>): Promise<void> {
  for (const column of [
    `clients add column apis text not null default '[]'`,
    `clients add column claims text not null default '{}'`,
    'clients add column without_pkce integer not null default 0',
    `client_grants add column resources text not null default '{}'`,
    `connected_clients add column resources text not null default '{}'`,
  ])
    await sql.raw(`alter table ${column}`).execute(db);
}
