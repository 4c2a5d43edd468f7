import type pg from 'pg';
import { openProbe } from './abandoned.ts';

/** A prepared statement is missing or exists twice: a pooler gave the connection to another client in between. */
export const isLostStatement = (code: string): boolean => /^(?:26000|42P05)$/.test(code);

export const poolerTooOld =
  'the pooler loses prepared statements: in transaction mode PgBouncer must be 1.21 or newer, with max_prepared_statements above 0';

/** Whether a pooler before one of these hosts loses prepared statements. The first host that responds decides. */
export const hasForgetfulPooler = (hosts: readonly string[]): Promise<boolean> =>
  Promise.any(hosts.map(losesStatements)).catch(() => false);

async function losesStatements(url: string): Promise<boolean> {
  const [asking, other] = [openProbe(url), openProbe(url)];
  for (const client of [asking, other]) client.on('error', () => undefined);
  try {
    await asking.connect();
    const process = await preparedAsk(asking);
    // A pooler gives its clients process ids of its own.
    if (process === (asking as unknown as { processID: number | null }).processID) return false;
    await other.connect();
    // Takes the connection on which the statement was prepared, so that the next transaction gets another one.
    await other.query('begin isolation level read committed read only');
    await preparedAsk(asking);
    return false;
  } catch (error) {
    if (isLostStatement((error as { code?: string }).code ?? '')) return true;
    throw error;
  } finally {
    await Promise.allSettled([other.end(), asking.end()]);
  }
}

async function preparedAsk(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ id: number }>({
    name: 'vestibule_pooler',
    text: 'select pg_backend_pid() as id',
  });
  return rows[0]?.id;
}
