import { expect, it, vi } from 'vitest';
import { RequestFailure } from './request-failure.ts';
import { followRequests, type RequestStatus } from './request-status.ts';

/** Requests whose statuses are noted, one that is answered from outside, and how often the handler ran. */
function open() {
  const told: RequestStatus[] = [];
  const { start, cancel } = followRequests((status) => void told.push(status));
  const onError = vi.fn<(failure: RequestFailure) => void>();
  const begin = () => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    return { resolve, reject, over: start(() => promise, onError) };
  };
  return { told, states: () => told.map(({ state }) => state), cancel, onError, begin };
}

const refusal = new RequestFailure(409);
const aborted = new DOMException('given up', 'AbortError');

it.each([
  ['an answer is success', undefined, { state: 'success', error: undefined }, 0],
  ['a failure is an error, is kept, and runs the handler', refusal, { state: 'error', error: refusal }, 1],
  ['a call that was given up elsewhere is idle, without an error', aborted, { state: 'idle', error: undefined }, 0],
])('pending, then: %s', async (_sentence, failure, last, handled) => {
  const { told, states, onError, begin } = open();
  const before = Date.now();
  const request = begin();
  expect(told).toEqual([expect.objectContaining({ state: 'pending', error: undefined })]);
  expect(told[0]?.lastUpdate).toBeGreaterThanOrEqual(before);
  expect(told[0]?.lastUpdate).toBeLessThanOrEqual(Date.now());
  if (failure) request.reject(failure);
  else request.resolve();
  await request.over;
  expect(states()).toEqual(['pending', last.state]);
  expect(told.at(-1)).toMatchObject({ ...last, request: undefined });
  expect(onError).toHaveBeenCalledTimes(handled);
});

it('pending again clears the error before', async () => {
  const { told, states, begin } = open();
  const first = begin();
  first.reject(refusal);
  await first.over;
  const second = begin();
  expect(told.at(-1)?.error).toBeUndefined();
  second.resolve();
  await second.over;
  expect(states()).toEqual(['pending', 'error', 'pending', 'success']);
});

it('a second start while one is under way does nothing', async () => {
  const { states, begin } = open();
  const first = begin();
  await begin().over;
  first.resolve();
  await first.over;
  expect(states()).toEqual(['pending', 'success']);
});

it.each([
  ['an answer', undefined],
  ['a failure', refusal],
  ['the end of a call that was aborted', aborted],
])(
  'a cancelled call is idle, and %s that comes later is not told, also not over a newer request',
  async (_what, failure) => {
    const { told, states, cancel, onError, begin } = open();
    const old = begin();
    cancel();
    expect(told[0]?.request?.signal.aborted).toBe(true);
    expect(told.at(-1)).toMatchObject({ state: 'idle', error: undefined });
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
