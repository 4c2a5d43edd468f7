import { type Kysely, sql } from 'kysely';

/** Older code neither counts nor reads. */
export const oldestCode = '0001-baseline';

/** What the service counts, and which of the batches of each node are added. */
export async function up(db: Kysely<any>): Promise<void> {
  await sql`create table statistics (
    series text not null,
    -- Hours since the epoch.
    hour integer not null,
    label text not null,
    count bigint not null,
    primary key (series, hour, label)
  )`.execute(db);
  await sql`create index statistics_hour on statistics (hour)`.execute(db);
  await sql`create table statistics_nodes (
    id text not null primary key,
    batch integer not null,
    at bigint not null
  )`.execute(db);
  await sql`create index statistics_nodes_at on statistics_nodes (at)`.execute(db);
}
