import { expect, test } from 'vitest';
import { days } from '../../contract/units.ts';
import { addOperatorKey } from '../../operations/operators.ts';
import { password, register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

test('support sees the devices as their owner does, who sees that', async () => {
  const server = await openTestServer('sqlite');
  const { store, now } = server;
  const { id, browser } = await register(server);
  const { code } = (await browser.post('/computers/enrolments', { password })).body;
  const office = { code, name: 'Office', platform: 'linux' };
  const { body } = await server.client().send('POST', '/computers/enrol', { body: office });
  const records = [{ id: '1', at: now(), kind: 'disk_low', text: '3 GB free' }];
  const computer = Object.assign(server.client(), { token: body.device_token });
  expect((await computer.send('POST', '/computers/records', { body: { records } })).status).toBe(202);

  const operator = { kind: 'command', actor: 'root', origin: 'host', reason: undefined } as const;
  const key = { name: 'desk', role: 'support', addresses: [], expiresAt: now() + days(1) } as const;
  const support = Object.assign(server.client(), {
    token: (await addOperatorKey({ store, operator, now: now() }, key)).key,
  });
  const seen = (await support.get(`/operators/people/${id}/devices`)).body;
  const own = (await browser.get('/computers')).body.computers;
  expect(seen.computers).toEqual([{ ...own[0], silent_for: expect.any(Number), silence: expect.any(Number) }]);
  expect(seen.records).toEqual((await browser.get('/computers/records')).body.records);
  expect(seen.records).toMatchObject([{ kind: 'disk_low', text: '3 GB free' }]);
  await support.get(`/operators/people/${id}`);
  const { items } = (await support.get('/operators/audit')).body;
  expect(items.map(({ action }: { action: string }) => action)).toEqual(
    expect.arrayContaining(['devices_viewed', 'account_viewed']),
  );
  const kinds = (await browser.get('/account/activity')).body.records.map(({ kind }: { kind: string }) => kind);
  expect(kinds.filter((kind: string) => kind === 'viewed')).toHaveLength(1);
});
