import { describe, expect, it, vi } from 'vitest';
import {
  followRequests,
  isCancelled,
  RequestFailure,
  type RequestStatus,
  readRefusal,
  recordRequests,
} from './request-status.ts';

/** Records the statuses of requests that the test settles, and the calls of the error handler. */
function open() {
  const reported: RequestStatus[] = [];
  const { start, cancel } = followRequests((status) => void reported.push(status));
  const onError = vi.fn<(failure: RequestFailure) => void>();
  const begin = () => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    return { resolve, reject, over: start(() => promise, onError) };
  };
  return { reported, states: () => reported.map(({ state }) => state), cancel, onError, begin };
}

const refusal = new RequestFailure(409);
const aborted = new DOMException('given up', 'AbortError');

it.each([
  ['a response is a success', undefined, { state: 'success', error: undefined }, 0],
  ['a failure is kept as an error and passed to the handler', refusal, { state: 'error', error: refusal }, 1],
  ['a request that was aborted elsewhere is idle, without an error', aborted, { state: 'idle', error: undefined }, 0],
])('pending, then: %s', async (_sentence, failure, last, handled) => {
  const { reported, states, onError, begin } = open();
  const before = Date.now();
  const request = begin();
  expect(reported).toEqual([expect.objectContaining({ state: 'pending', error: undefined })]);
  expect(reported[0]?.lastUpdate).toBeGreaterThanOrEqual(before);
  expect(reported[0]?.lastUpdate).toBeLessThanOrEqual(Date.now());
  if (failure) request.reject(failure);
  else request.resolve();
  await request.over;
  expect(states()).toEqual(['pending', last.state]);
  expect(reported.at(-1)).toMatchObject({ ...last, request: undefined });
  expect(onError).toHaveBeenCalledTimes(handled);
});

it('a new request clears the previous error', async () => {
  const { reported, states, begin } = open();
  const first = begin();
  first.reject(refusal);
  await first.over;
  const second = begin();
  expect(reported.at(-1)?.error).toBeUndefined();
  second.resolve();
  await second.over;
  expect(states()).toEqual(['pending', 'error', 'pending', 'success']);
});

it('a second start during a request does nothing', async () => {
  const { states, begin } = open();
  const first = begin();
  await begin().over;
  first.resolve();
  await first.over;
  expect(states()).toEqual(['pending', 'success']);
});

it.each([
  ['a response', undefined],
  ['a failure', refusal],
  ['an abort', aborted],
])(
  'a canceled request is idle, and %s that arrives later is never reported, not even during a newer request',
  async (_what, failure) => {
    const { reported, states, cancel, onError, begin } = open();
    const old = begin();
    cancel();
    expect(reported[0]?.request?.signal.aborted).toBe(true);
    expect(reported.at(-1)).toMatchObject({ state: 'idle', error: undefined });
    const newer = begin();
    if (failure) old.reject(failure);
    else old.resolve();
    await old.over;
    expect(states()).toEqual(['pending', 'idle', 'pending']);
    newer.resolve();
    await newer.over;
    expect(states()).toEqual(['pending', 'idle', 'pending', 'success']);
    expect(onError).not.toHaveBeenCalled();
  },
);

it.each([
  [
    'its own message, if it has one',
    new Error('Storage is full'),
    { id: 'failure.unknown', instead: 'Storage is full' },
  ],
  ['our message, if it has none', new DOMException(), { id: 'failure.unknown' }],
  ['our message, if it is not an error', 'odd', { id: 'failure.unknown' }],
  ['our message, if the network failed', new RequestFailure(undefined), { id: 'failure.no_answer' }],
])('an error without a response shows %s', async (_sentence, thrown, shown) => {
  vi.spyOn(console, 'error').mockReturnValue();
  const { reported, begin } = open();
  const request = begin();
  request.reject(thrown);
  await request.over;
  const { instead, id } = reported.at(-1)?.error?.text ?? {};
  expect({ id, instead }).toEqual({ instead: undefined, ...shown });
});

describe('requests outside of a screen', () => {
  const responses = new Map<string, PromiseWithResolvers<string>>();
  const record = () =>
    recordRequests((_signal, path: string) => {
      const response = Promise.withResolvers<string>();
      responses.set(path, response);
      return response.promise;
    });

  it('are pending, then a success or an error', async () => {
    const { status, send } = record();
    expect(status.read().state).toBe('idle');
    const first = send('/one/');
    expect(status.read()).toMatchObject({ state: 'pending', error: undefined });
    responses.get('/one/')?.resolve('first');
    expect(await first).toBe('first');
    expect(status.read().state).toBe('success');
    const second = send('/two/');
    responses.get('/two/')?.reject(refusal);
    await expect(second).rejects.toBe(refusal);
    expect(status.read()).toMatchObject({ state: 'error', error: refusal });
  });

  it('keep the status of the newest one', async () => {
    const { status, send } = record();
    const older = send('/older/');
    const newer = send('/newer/');
    responses.get('/older/')?.reject(refusal);
    await expect(older).rejects.toBe(refusal);
    expect(status.read().state).toBe('pending');
    responses.get('/newer/')?.resolve('');
    await newer;
    expect(status.read().state).toBe('success');
  });

  it('return to idle if they are canceled', async () => {
    const { status, send } = record();
    const sent = send('/one/');
    responses.get('/one/')?.reject(aborted);
    await expect(sent).rejects.toSatisfy(isCancelled);
    expect(status.read()).toMatchObject({ state: 'idle', error: undefined });
  });
});

it.each([
  ['a code of the contract', 401, { code: 'incorrect_password' }, 'failure.incorrect_password'],
  ['a code, whatever its status', 404, { code: 'try_again_later' }, 'failure.try_again_later'],
  ['no code and 404', 404, undefined, 'failure.not_found'],
  ['no code and 500', 500, undefined, 'failure.server_error'],
  ['no code and another status', 502, undefined, 'failure.unknown'],
  ['no response', undefined, undefined, 'failure.no_answer'],
])('%s selects its message', (_sentence, status, problem, id) => {
  expect(new RequestFailure(status, problem as never).text.id).toBe(id);
});

it.each([
  ['our problem document', { type: 'urn:vestibule:csrf_failed', code: 'csrf_failed' }, 'failure.csrf_failed'],
  ['a gateway’s problem document', { type: 'about:blank', code: 'csrf_failed' }, 'failure.unknown'],
  ['a document without a type', { code: 'toString' }, 'failure.unknown'],
  ['an empty body', undefined, 'failure.unknown'],
])('%s is read', (_sentence, response, id) => {
  expect(new RequestFailure(418, readRefusal(response as never)).text.id).toBe(id);
});

it('the message of a lockout has its minutes', () => {
  const failure = new RequestFailure(429, { code: 'too_many_attempts', minutes: 4 });
  expect(failure.text).toMatchObject({ id: 'failure.too_many_attempts', values: { minutes: 4 } });
});

it.each([
  [1, 0],
  [90, 0],
  [91, 2],
  [1440, 24],
])('a wait of %i minutes is shown as %i hours, where 0 shows minutes', (minutes, hours) => {
  const failure = new RequestFailure(429, { code: 'too_many_calls', minutes });
  expect(failure.text.values).toMatchObject({ minutes, hours });
});

it('the message of wrong digits has the attempts left', () => {
  const failure = new RequestFailure(422, { code: 'digits_incorrect', attempts_left: 2 });
  expect(failure.text).toMatchObject({ id: 'failure.digits_incorrect', values: { attempts: 2 } });
});
