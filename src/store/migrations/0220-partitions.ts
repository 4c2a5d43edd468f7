/**
 * Changes nothing: code that knows this migration works with partitioned tables. `vestibule partition` makes it the
 * oldest code that may run.
 */
export const oldestCode = '0001-front-door';
