import { sql } from 'kysely';
import type { Store } from '../../store/database.ts';
import { needsUtf8 } from '../../store/migrate.ts';

interface Role {
  readonly role: string;
  readonly standby: boolean;
  readonly read_only: boolean;
  readonly encoding: string;
  /** Null if no schema of the search path exists. */
  readonly schema: string | null;
  readonly creates: boolean;
  /** A table of another role's. */
  readonly foreign_table: string | null;
}

/**
 * Throws if the service could not start with what this role may do in PostgreSQL. To read is not enough: a start creates
 * and changes tables.
 */
export async function refuseUnusableRole(store: Store): Promise<void> {
  const { rows } = await sql<Role>`select current_user as role, pg_is_in_recovery() as standby,
    current_setting('default_transaction_read_only') = 'on' as read_only,
    current_setting('server_encoding') as encoding, current_schema() as schema,
    coalesce(has_schema_privilege(current_schema(), 'create'), false) as creates,
    (select min(relname::text) from pg_class where relnamespace = to_regnamespace(current_schema())
      and relname in ('accounts', 'kysely_migration') and not pg_has_role(relowner, 'usage')) as foreign_table
    `.execute(store);
  const problem = rows[0] && problemOf(rows[0]);
  if (problem) throw new Error(problem);
}

function problemOf(found: Role): string | undefined {
  const { role, schema } = found;
  if (found.standby) return 'this PostgreSQL is a standby, which accepts no writes';
  if (found.read_only) return `default_transaction_read_only is on for ${role}: it cannot write`;
  if (schema === null) return `no schema in the search_path of ${role} exists`;
  if (!found.creates) return `${role} may not create tables in the schema ${schema}: make it the owner of the database`;
  if (found.foreign_table) return `${role} does not own the table ${found.foreign_table}: reassign its tables to it`;
  return found.encoding === 'UTF8' ? undefined : needsUtf8(found.encoding);
}
