import type { CompiledQuery } from 'kysely';

const mark = 'asynchronous';

/** Lets the writer commit a statement without an fsync (`shared-commits.ts`). */
export const markAsynchronous = <Row>(query: CompiledQuery<Row>): CompiledQuery<Row> =>
  Object.freeze({ ...query, [mark]: true });

export const isAsynchronous = (query: CompiledQuery): boolean => mark in query;
