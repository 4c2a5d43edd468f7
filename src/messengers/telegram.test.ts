import { expect, test } from 'vitest';
import { startCallServer } from '../testing/call-server.ts';
import { openTelegram } from './telegram.ts';

type Reply = readonly [status: number, body: object];
const ok: Reply = [200, { ok: true, result: { message_id: 1 } }];
/** As the Bot API refuses requests. */
const refusal = (code: number, description: string, parameters?: object): Reply => [
  code,
  { ok: false, error_code: code, description, ...(parameters && { parameters }) },
];
const busy = (seconds: number) => refusal(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds });

/** A bot whose chats answer as a test says, at a time that a test moves. */
async function openBot(answerOf: (chat: number) => Reply) {
  let now = 1_000_000;
  const api = await startCallServer(({ fields }) => answerOf((fields as { chat_id: number }).chat_id));
  const bot = openTelegram({ token: '1:secret', base: api.url, now: () => now });
  const send = (chat: number) => bot.send(chat, { text: 'Silent: Front desk', silent: false });
  const pass = (milliseconds: number) => {
    now += milliseconds;
  };
  return { bot, api, send, pass };
}

test.each<[string, Reply, object]>([
  ['a message', ok, { state: 'accepted' }],
  ['a bot that was blocked', refusal(403, 'Forbidden: bot was blocked by the user'), { state: 'gone' }],
  ['a person who left Telegram', refusal(403, 'Forbidden: user is deactivated'), { state: 'gone' }],
  ['a chat that is gone', refusal(400, 'Bad Request: chat not found'), { state: 'gone' }],
  ['a revoked token', refusal(401, 'Unauthorized'), { state: 'refused', said: '401 Unauthorized' }],
  ['a limit', busy(7), { state: 'later', retryAfter: 7 }],
  ['a failure of theirs', refusal(502, 'Bad Gateway'), { state: 'later', retryAfter: 30 }],
  ['a proxy', [504, {}], { state: 'later' }],
  [
    'a group that has another id now',
    refusal(400, 'Bad Request: group chat was upgraded to a supergroup chat', { migrate_to_chat_id: -1009 }),
    { state: 'moved', chat: -1009 },
  ],
])('Telegram answers %s', async (_what, answer, outcome) => {
  const { send, api } = await openBot(() => answer);
  expect(await send(5)).toMatchObject(outcome);
  expect(api.received).toMatchObject([
    { method: 'POST', path: '/bot1:secret/sendMessage', fields: { chat_id: 5, text: 'Silent: Front desk' } },
  ]);
});

test('a chat that is too busy waits without a request, and no other waits for it, unless the bot is too busy', async () => {
  const { send, api, pass } = await openBot((chat) => (chat < 3 ? busy(60) : ok));
  expect(await send(1)).toMatchObject({ state: 'later', retryAfter: 60 });
  pass(20_000);
  expect(await send(1)).toMatchObject({ state: 'later', retryAfter: 40 });
  expect(api.received).toHaveLength(1);
  expect(await send(3)).toEqual({ state: 'accepted' });
  // A second chat: the limit is the bot's.
  expect(await send(2)).toMatchObject({ state: 'later' });
  pass(2000);
  expect(await send(4)).toMatchObject({ state: 'later', retryAfter: 58 });
  expect(api.received).toHaveLength(3);
  pass(60_000);
  expect(await send(4)).toEqual({ state: 'accepted' });
});

test('a chat gets one message a second', async () => {
  const { send, pass } = await openBot(() => ok);
  const both = await Promise.all([send(1), send(1), send(2)]);
  expect(both.map(({ state }) => state)).toEqual(['accepted', 'later', 'accepted']);
  pass(1001);
  expect(await send(1)).toEqual({ state: 'accepted' });
});

test('nobody waits for a pause from before the clock was set back', async () => {
  const { send, pass } = await openBot((chat) => (chat === 1 ? busy(60) : ok));
  await send(1);
  pass(-7 * 24 * 3_600_000);
  expect(await send(1)).toMatchObject({ retryAfter: 60 });
});

test('who starts the bot is read once, from people and groups, whatever else they write', async () => {
  const chat = { id: 7, type: 'private', first_name: 'Ada', last_name: 'L.' };
  const group = { id: -8, type: 'group', title: 'Night shift' };
  const written = [
    { update_id: 10, message: { text: '/start AbC_1-2', chat } },
    { update_id: 11, message: { text: 'hello', chat } },
    { update_id: 12, message: { text: '/start@our_bot xyz', chat: group } },
    { update_id: 13, message: { chat, photo: [] } },
    { update_id: 14, edited_message: { text: '/start old', chat } },
    { update_id: 15, message: { text: '/start a b', chat } },
  ];
  const api = await startCallServer(({ fields }) => {
    const { offset } = fields as { offset: number };
    return [200, { ok: true, result: written.filter(({ update_id: id }) => id >= offset) }];
  });
  const bot = openTelegram({ token: '1:secret', base: api.url, now: Date.now });
  const starts = [
    { chat: 7, name: 'Ada L.', token: 'AbC_1-2' },
    { chat: -8, name: 'Night shift', token: 'xyz' },
  ];
  expect(await bot.readStarts()).toEqual({ starts, isLast: true });
  expect(await bot.readStarts()).toEqual({ starts: [], isLast: true });
});
