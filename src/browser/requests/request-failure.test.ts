import { expect, it } from 'vitest';
import { RequestFailure, readRefusal } from './request-failure.ts';

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
