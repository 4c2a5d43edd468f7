import { beforeEach, describe, expect, it } from 'vitest';
import { browserStorage } from '../platform/storage.ts';
import { keepQuery, keptQuery, withLink } from './kept-query.ts';

beforeEach(() => {
  browserStorage.write('email', undefined);
  browserStorage.write('db_type', undefined);
  keptQuery.write({ email: '', hash: undefined, call: undefined, dbType: undefined });
});

/** Keeps the query of an address; returns what is left of it. */
const keep = (query: string) => {
  const url = new URL(`https://example.com/reset-password/${query}`);
  keepQuery(url);
  return url.search;
};

describe('the query', () => {
  it('is kept, and taken out of the address', () => {
    expect(keep('?email=ann%40example.com&hash=abc&db_type=pg&x=1')).toBe('?x=1');
    expect(keptQuery.read()).toEqual({ email: 'ann@example.com', hash: 'abc', dbType: 'pg' });
    expect([browserStorage.read('email'), browserStorage.read('db_type')]).toEqual(['ann@example.com', 'pg']);
  });

  it('brings the call of a link by mail along, which is a secret, too', () => {
    expect(keep('?call=some-call&hash=abc')).toBe('');
    expect(keptQuery.read()).toMatchObject({ call: 'some-call', hash: 'abc' });
    expect(browserStorage.read('email')).toBeUndefined();
  });

  it('gives an address its link back', () => {
    const address = 'https://example.com/reset-password/?x=1';
    expect(withLink(address)).toBe(address);
    keep('?email=ann%40example.com&hash=abc&call=some-call');
    expect(withLink(address)).toBe(`${address}&email=ann%40example.com&hash=abc&call=some-call`);
  });

  it('stays kept on pages whose address has none', () => {
    keep('?email=ann%40example.com&hash=abc');
    keep('');
    expect(keptQuery.read()).toMatchObject({ email: 'ann@example.com', hash: 'abc' });
  });

  it.each([
    ['given twice, which is no string', '?email=a%40b.example&email=c%40d.example'],
    ['empty', '?email='],
    ['a label of more than 64 characters', `?db_type=${'x'.repeat(65)}`],
    ['an address of 180 characters', `?email=${'x'.repeat(180)}`],
  ])('is not kept when %s', (_sentence, query) => {
    expect(keep(query)).toBe('');
    expect(keptQuery.read()).toEqual({ email: '', hash: undefined, dbType: undefined });
  });
});
