import { expect, it } from 'vitest';
import { NoSuchAddress, SendingBlocked, TryLater } from './compose.ts';
import { asOutcome } from './refusals.ts';

const outcomes = [
  {
    of: 'given up',
    outcome: NoSuchAddress,
    responses: [
      '550 5.1.10 no such mailbox',
      '550 5.1.2 no such domain',
      '553 5.1.3 no address',
      '550 No such user',
      '550 <ada@mail.example>: Recipient address rejected: User unknown',
      '550 5.0.0 no such mailbox here',
      '550 5.7.1 No such user!',
    ],
  },
  {
    of: 'refused',
    outcome: SendingBlocked,
    responses: [
      '550 5.7.1 no such user is allowed to send',
      '550 Sender verify failed: no such user',
      '553 5.1.8 sender address rejected',
      '550 5.1.0 <no-reply@door.example>: Sender address rejected: User unknown in virtual mailbox table',
      '550 5.1.1 <no-reply@door.example>: Sender address rejected: User unknown',
      '550 5.1.0 address rejected',
      '550 mailbox unavailable',
      '554 5.7.1 relay access denied',
    ],
  },
  {
    of: 'postponed',
    outcome: TryLater,
    responses: ['450 No such user yet', '452 4.2.2 mailbox full', '503 5.5.1 bad sequence'],
  },
].flatMap(({ of, outcome, responses }) => responses.map((response) => ({ of, outcome, response })));

it.each(outcomes)('an email whose recipient is refused with “$response” is $of', ({ outcome, response }) => {
  const responseCode = Number(response.slice(0, 3));
  const error = asOutcome({ command: 'RCPT TO', response, responseCode, message: response });
  expect(error).toBeInstanceOf(outcome);
});
