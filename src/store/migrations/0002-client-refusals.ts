import { type Kysely, sql } from 'kysely';

/** Earlier versions do not use the table. */
export const oldestCode = '0001-baseline';
export async function up(db: Kysely<any>): Promise<void> {
  await sql`
    create table client_refusals (
      client_id text not null references clients (id) on delete cascade,
      code text not null,
      explanation text not null,
      value text not null,
      route text not null,
      reference text not null,
      at bigint not null,
      constraint client_refusals_key primary key (client_id, code, explanation)
    )`.execute(db);
  await sql`create index client_refusals_at on client_refusals (at)`.execute(db);
}
