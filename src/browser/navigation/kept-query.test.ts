import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { browserStorage, tabStorage } from '../platform/storage.ts';
import { forgetLink, keepQuery, keptQuery, withLink } from './kept-query.ts';

beforeEach(() => {
  browserStorage.write('email', undefined);
  browserStorage.write('db_type', undefined);
  forgetLink();
  keptQuery.write({ email: '', link: undefined, dbType: undefined });
});

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Keeps the query of an address; returns the rest of it. */
const keep = (query: string, carriesLink = true) => {
  const url = new URL(`https://example.com/reset-password/${query}`);
  keepQuery(url, { carriesLink });
  return url.search;
};

describe('the query', () => {
  it('is kept and removed from the address', () => {
    expect(keep('?email=ann%40example.com&hash=abc&db_type=pg&x=1')).toBe('?x=1');
    expect(keptQuery.read()).toEqual({
      email: 'ann@example.com',
      link: { hash: 'abc', email: 'ann@example.com', call: '' },
      dbType: 'pg',
    });
    expect([browserStorage.read('email'), browserStorage.read('db_type')]).toEqual(['ann@example.com', 'pg']);
  });

  it('contains the call of an emailed link, which is also secret', () => {
    expect(keep('?call=some-call&hash=abc')).toBe('');
    expect(keptQuery.read()).toMatchObject({ link: { call: 'some-call', hash: 'abc' } });
    expect(browserStorage.read('email')).toBeUndefined();
  });

  it('adds the link to an address again if the browser forbids storage', () => {
    vi.stubGlobal('sessionStorage', undefined);
    const address = 'https://example.com/reset-password/?x=1';
    expect(withLink(address)).toBe(address);
    keep('?email=ann%40example.com&hash=abc&call=some-call');
    expect(withLink(address)).toBe(`${address}&hash=abc&email=ann%40example.com&call=some-call`);
  });

  it('drops a link from the address of a page that does not take links', () => {
    expect(keep('?email=ann%40example.com&hash=abc', false)).toBe('');
    expect(keptQuery.read()).toMatchObject({ email: 'ann@example.com', link: undefined });
    expect(tabStorage.read('link')).toBeUndefined();
  });

  it('stays kept on pages without a query', () => {
    keep('?email=ann%40example.com&hash=abc');
    keep('');
    expect(keptQuery.read()).toMatchObject({ email: 'ann@example.com', link: { hash: 'abc' } });
  });

  it('keeps the email of a link until the link is forgotten, even if another email is typed', () => {
    keep('?email=ann%40example.com&hash=abc');
    keep('?email=bob%40example.com');
    expect(keptQuery.read()).toMatchObject({ email: 'bob@example.com', link: { email: 'ann@example.com' } });
    forgetLink();
    keep('');
    expect(keptQuery.read().link).toBeUndefined();
  });

  it('replaces an email that was typed before', () => {
    tabStorage.write('draft.sign-in', '{"email":"old@example.com"}');
    keep('');
    expect(tabStorage.read('draft.sign-in')).toBeDefined();
    keep('?email=ann%40example.com');
    expect(tabStorage.read('draft.sign-in')).toBeUndefined();
  });

  it.each([
    ['given twice', '?email=a%40b.example&email=c%40d.example'],
    ['empty', '?email='],
    ['a label of more than 64 characters', `?db_type=${'x'.repeat(65)}`],
    ['an address of 180 characters', `?email=${'x'.repeat(180)}`],
  ])('is not kept when %s', (_sentence, query) => {
    expect(keep(query)).toBe('');
    expect(keptQuery.read()).toEqual({ email: '', link: undefined, dbType: undefined });
  });
});
