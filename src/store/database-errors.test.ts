import { expect, test } from 'vitest';
import { isTransientError } from './database-errors.ts';

test.each([
  ['PostgreSQL refuses the connection', { code: 'ECONNREFUSED' }, true],
  ['its password was changed', { code: '28P01' }, true],
  ['transactions are in each other’s way', { code: '40001' }, true],
  ['a deadlock', { code: '40P01' }, true],
  ['its disk is full', { code: '53100' }, true],
  ['it has no connection left', { code: '53300' }, true],
  ['it shuts down', { code: '57P01' }, true],
  ['it takes no changes', { code: '25006' }, true],
  ['its connection broke', { code: '08006' }, true],
  ['SQLite’s disk is full', { code: 'ERR_SQLITE_ERROR', errcode: 13 }, true],
  ['SQLite’s file is read-only, by an extended code', { code: 'ERR_SQLITE_ERROR', errcode: 8 | (4 << 8) }, true],
  ['SQLite reads nonsense from its disk', { code: 'ERR_SQLITE_ERROR', errcode: 11 }, true],
  ['a constraint of SQLite', { code: 'ERR_SQLITE_ERROR', errcode: 19 }, false],
  ['a constraint of PostgreSQL', { code: '23505' }, false],
  ['a mistake in a statement', { code: '42601' }, false],
  ['a mistake of ours', new TypeError('x is not a function'), false],
  ['nothing', undefined, false],
])('%s: %o passes: %s', (_name, error, passes) => expect(isTransientError(error)).toBe(passes));
