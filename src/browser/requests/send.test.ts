import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Endpoint } from '../../contract/endpoint.ts';
import { uploadChunkBytes } from '../constants.ts';
import { tabStorage } from '../platform/storage.ts';
import { chunks, forgetVersions, send } from './send.ts';

it('a large body is sent in chunks of 64 KB', async () => {
  const sizes: number[] = [];
  for await (const chunk of chunks(new Uint8Array(uploadChunkBytes * 2 + 1))) sizes.push(chunk.length);
  expect(sizes).toEqual([uploadChunkBytes, uploadChunkBytes, 1]);
});

describe('a response that is not ours', () => {
  afterEach(() => vi.unstubAllGlobals());

  const broken = () => new ReadableStream({ start: (stream) => stream.error(new TypeError('network error')) });
  it.each([
    ['the page of a hotel instead of JSON', () => new Response('<p>Welcome'), 'unknown'],
    ['the error of a gateway', () => new Response('<p>Bad gateway', { status: 502 }), 'unknown'],
    ['one that breaks off', () => new Response(broken()), 'no_answer'],
  ])('%s is a failure with a message for users', async (_sentence, respond, code) => {
    vi.stubGlobal('fetch', async () => respond());
    await expect(send({ method: 'POST', path: '/auth/login' } as Endpoint, {})).rejects.toMatchObject({ code });
  });
});

describe('a list that a page reads again', () => {
  const read = { method: 'GET', path: '/list/:id' } as Endpoint;
  const tokenOf = (account: string, number = 1) => `${number}.${btoa(JSON.stringify({ sub: account }))}.`;
  /** Tags that requests have named, and what happens before the next response. */
  let named: (string | null)[];
  let beforeResponse: () => void;

  /** Reads a list as an account, after this tab has received a token for it. */
  function readAs(account: string, { id = '1', number = 1 } = {}) {
    tabStorage.write('token', tokenOf(account, number));
    return send(read, { params: { id } }, tokenOf(account, number));
  }

  beforeEach(() => {
    named = [];
    beforeResponse = () => undefined;
    vi.stubGlobal('fetch', async (_address: string, { headers }: { headers: Headers }) => {
      named.push(headers.get('If-None-Match'));
      beforeResponse();
      if (named.at(-1)) return new Response(undefined, { status: 304 });
      return Response.json({ entries: [] }, { headers: { ETag: '"a"' } });
    });
  });
  afterEach(() => {
    forgetVersions();
    tabStorage.write('token', undefined);
    vi.unstubAllGlobals();
  });

  it('is not sent again while it is the same, even with a new token of the account', async () => {
    const first = await readAs('anna');
    expect(await readAs('anna', { number: 2 })).toBe(first);
    expect(named).toEqual([null, '"a"']);
  });

  it.each([
    ['the user has signed out', () => forgetVersions(), [null, null]],
    ['another account has signed in', () => readAs('bob'), [null, null, null]],
  ])('is forgotten once %s', async (_sentence, then, expected) => {
    await readAs('anna');
    await then();
    await readAs('anna');
    expect(named).toEqual(expected);
  });

  it.each([
    ['a sign-out', undefined],
    ['another account', tokenOf('bob')],
  ])('is not kept if its response arrives after %s', async (_sentence, token) => {
    beforeResponse = () => tabStorage.write('token', token);
    await readAs('anna');
    beforeResponse = () => undefined;
    await readAs('anna');
    expect(named).toEqual([null, null]);
  });

  it('is kept if it is among the 30 that arrived last', async () => {
    for (let id = 1; id <= 30; id += 1) await readAs('anna', { id: String(id) });
    await readAs('anna', { id: '31' });
    named = [];
    await readAs('anna', { id: '2' });
    await readAs('anna', { id: '1' });
    expect(named).toEqual(['"a"', null]);
  });
});
