import { expect, test } from 'vitest';
import { isTransientError, refusalToWrite } from './database-errors.ts';

test.each([
  ['PostgreSQL refuses the connection', { code: 'ECONNREFUSED' }, true],
  ['its password was changed', { code: '28P01' }, true],
  ['a serialization failure', { code: '40001' }, true],
  ['a deadlock', { code: '40P01' }, true],
  ['its disk is full', { code: '53100' }, true],
  ['it is out of connections', { code: '53300' }, true],
  ['it shuts down', { code: '57P01' }, true],
  ['it is read-only', { code: '25006' }, true],
  ['its database is missing, as before a restore', { code: '3D000' }, true],
  ['its database accepts no connections', { code: '55000' }, true],
  ['a table is missing, as during a restore', { code: '42P01' }, true],
  ['a constraint is missing, as during a restore', { code: '42P10' }, true],
  ['a pooler lost a prepared statement', { code: '26000' }, true],
  ['a pooler kept the prepared statement of another client', { code: '42P05' }, true],
  ['the role may not use a table', { code: '42501' }, true],
  ['its connection broke', { code: '08006' }, true],
  ['SQLite’s disk is full', { code: 'ERR_SQLITE_ERROR', errcode: 13 }, true],
  ['SQLite’s file is read-only, by an extended code', { code: 'ERR_SQLITE_ERROR', errcode: 8 | (4 << 8) }, true],
  ['SQLite’s file is damaged', { code: 'ERR_SQLITE_ERROR', errcode: 11 }, true],
  ['a constraint violation in SQLite', { code: 'ERR_SQLITE_ERROR', errcode: 19 }, false],
  ['a constraint violation in PostgreSQL', { code: '23505' }, false],
  ['an error in a statement', { code: '42601' }, false],
  ['a bug of ours', new TypeError('x is not a function'), false],
  ['nothing', undefined, false],
])('%s: %o is transient: %s', (_name, error, passes) => expect(isTransientError(error)).toBe(passes));

test.each([
  [{ code: '53100' }, 'database: the disk is full'],
  [{ code: 'ERR_SQLITE_ERROR', errcode: 13 }, 'database: the disk is full'],
  [{ code: '25006' }, 'database: read-only'],
  [{ code: 'ERR_SQLITE_ERROR', errcode: 8 | (4 << 8) }, 'database: read-only'],
  [{ code: 'ECONNREFUSED' }, 'database'],
])('a refusal to write, %o, reads "%s"', (error, says) => expect(refusalToWrite(error)).toBe(says));
