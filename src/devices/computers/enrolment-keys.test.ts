import { describe, expect, it } from 'vitest';
import { days } from '../../contract/units.ts';
import { type Client, statusAndCode } from '../../testing/client.ts';
import { engines } from '../../testing/databases/databases.ts';
import { password, proveAddress, register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

describe.each(engines)('keys that add computers, on %s,', async (engine) => {
  const server = await openTestServer(engine, { COMPUTERS_PER_ACCOUNT: '8' });
  const key = { name: 'Berlin', max_uses: 3, days: 7 };
  const person = async () => (await register(server)).browser;
  const create = (browser: Client, differing: object = {}) =>
    browser.post('/account/enrolment-keys', { password, ...key, ...differing });
  const secretOf = async (browser: Client, differing: object = {}) =>
    (await create(browser, differing)).body.secret as string;
  const enrol = async (code: string, { ip, ...differing }: { ip?: string; attempt?: string; name?: string } = {}) =>
    server.client(ip === undefined ? {} : { ip }).send('POST', '/computers/enrol', {
      body: { code, name: 'Office', platform: 'linux', ...differing },
    });
  const listed = async (browser: Client) => (await browser.get('/computers')).body.computers;
  const keysOf = async (browser: Client) => (await browser.get('/account/enrolment-keys')).body.keys;
  const revoke = (browser: Client, id: string) => browser.send('DELETE', `/account/enrolment-keys/${id}`, {});

  it('add as many computers as they may, with their tags, and show the secret once', async () => {
    const browser = await person();
    const created = await create(browser, { tags: ['Berlin', 'berlin', 'till'] });
    expect(created).toMatchObject({ status: 201, body: { secret: expect.stringMatching(/^vk_[\w-]{32}$/) } });
    const { secret, commands } = created.body;
    expect(commands.linux).toContain(` install ${secret} --server `);
    expect((await enrol(secret, { name: 'One' })).status).toBe(201);
    expect((await enrol(secret, { name: 'Two' })).status).toBe(201);
    expect(await listed(browser)).toMatchObject([
      { name: 'One', tags: ['Berlin', 'till'] },
      { name: 'Two', tags: ['Berlin', 'till'] },
    ]);
    const keys = await browser.get('/account/enrolment-keys');
    expect(keys.body.keys).toMatchObject([
      { name: 'Berlin', state: 'valid', uses: 2, max_uses: 3, networks: [], last_used_at: expect.any(String) },
    ]);
    expect(JSON.stringify(keys.body)).not.toContain(secret);
    const { store } = server;
    expect(JSON.stringify(await store.selectFrom('enrolment_keys').selectAll().execute())).not.toContain(secret);
    expect((await browser.get('/account/activity')).body.records[0]).toMatchObject({ kind: 'enrolment_key_added' });
  });

  it('give the last use to exactly one of ten computers', async () => {
    const browser = await person();
    const secret = await secretOf(browser, { max_uses: 4 });
    const answers = (await Promise.all(Array.from({ length: 10 }, () => enrol(secret)))).map(statusAndCode);
    expect(answers.sort()).toEqual([...Array(4).fill('201'), ...Array(6).fill('410 enrolment_key_used_up')]);
    expect(await keysOf(browser)).toMatchObject([{ uses: 4, state: 'used_up' }]);
    expect(await listed(browser)).toHaveLength(4);
  });

  it('add nothing after they were revoked, also in the middle of a rollout', async () => {
    const browser = await person();
    const secret = await secretOf(browser, { max_uses: 8 });
    const [{ id }] = await keysOf(browser);
    const [revoked, ...answers] = await Promise.all([
      revoke(browser, id),
      ...Array.from({ length: 6 }, () => enrol(secret)),
    ]);
    expect(revoked?.status).toBe(204);
    const [after] = await keysOf(browser);
    expect(after).toMatchObject({ state: 'revoked', uses: answers.filter(({ status }) => status === 201).length });
    expect(await listed(browser)).toHaveLength(after.uses);
    expect(await enrol(secret)).toSay('410 enrolment_key_revoked');
    expect(await revoke(browser, id)).toSay('404 not_found');
  });

  it('give a repeated request the same computer, and each attempt counts once', async () => {
    const browser = await person();
    const secret = await secretOf(browser);
    const attempt = 'a'.repeat(22);
    const [first, second] = await Promise.all([enrol(secret, { attempt }), enrol(secret, { attempt })]);
    expect([first?.status, second?.body]).toEqual([201, first?.body]);
    server.forward(days(1));
    expect((await enrol(secret, { attempt })).body).toEqual(first?.body);
    expect((await browser.post('/auth/refresh')).status).toBe(200);
    expect(await keysOf(browser)).toMatchObject([{ uses: 1 }]);
    expect(await listed(browser)).toHaveLength(1);
  });

  it('keep their use at the limit of the account', async () => {
    const browser = await person();
    const secret = await secretOf(browser, { max_uses: 20 });
    const answers = await Promise.all(Array.from({ length: 10 }, () => enrol(secret)));
    expect(answers.map(statusAndCode).sort()).toEqual([
      ...Array(8).fill('201'),
      ...Array(2).fill('409 computer_limit_reached'),
    ]);
    expect(await keysOf(browser)).toMatchObject([{ uses: 8, state: 'valid' }]);
  });

  it.each([
    ['192.0.2.0/24', '192.0.2.77', '201'],
    ['192.0.2.0/24', '192.0.3.1', '403 network_not_allowed'],
    ['2001:db8::/32', '2001:db8:5::9', '201'],
    ['2001:db8::/32', '192.0.2.77', '403 network_not_allowed'],
    ['192.0.2.7', '192.0.2.8', '403 network_not_allowed'],
  ])('that work in %s answer %s with %s', async (network, ip, answer) => {
    const secret = await secretOf(await person(), { networks: [network] });
    expect(await enrol(secret, { ip })).toSay(answer);
  });

  it('belong to one account: no other sees or revokes them', async () => {
    const [anna, eve] = [await person(), await person()];
    const secret = await secretOf(anna);
    const [{ id }] = await keysOf(anna);
    expect(await keysOf(eve)).toEqual([]);
    expect(await revoke(eve, id)).toSay('404 not_found');
    expect((await enrol(secret)).status).toBe(201);
    expect([(await listed(anna)).length, (await listed(eve)).length]).toEqual([1, 0]);
    expect(await enrol(`${secret}x`)).toSay('410 enrolment_invalid');
  });

  it('end with the password, and after their days', async () => {
    const browser = await person();
    const [lost, old] = [await secretOf(browser), await secretOf(browser, { days: 1 })];
    server.forward(days(2));
    expect(await enrol(old)).toSay('410 enrolment_key_expired');
    await browser.post('/auth/refresh');
    const changed = { current_password: password, password: 'another good one', password_repeat: 'another good one' };
    expect((await browser.post('/account/password', changed)).status).toBe(204);
    expect(await enrol(lost)).toSay('410 enrolment_key_revoked');
  });

  it('need a recent proof of identity, and their owner gets an email', async () => {
    const owner = await register(server);
    await proveAddress(server, owner);
    server.forward(days(1));
    await owner.browser.post('/auth/refresh');
    expect(await create(owner.browser, { password: undefined })).toSay(
      '422 validation_failed password password_required',
    );
    expect(await create(owner.browser, { password: 'not it at all' })).toSay('401 incorrect_password');
    expect((await create(owner.browser)).status).toBe(201);
    expect((await server.mailTo(owner.email, /key for adding computers/)).text).toContain('/computers/add/');
  });

  it.each([
    [{ name: '' }, 'name required'],
    [{ max_uses: 0 }, 'max_uses number_invalid'],
    [{ max_uses: 1.5 }, 'max_uses number_invalid'],
    [{ max_uses: 10_001 }, 'max_uses number_invalid'],
    [{ days: 366 }, 'days number_invalid'],
    [{ days: undefined }, 'days required'],
    [{ networks: ['192.0.2.0/33'] }, 'networks networks_invalid'],
    [{ networks: ['office'] }, 'networks networks_invalid'],
    [{ networks: Array.from({ length: 21 }, (_, at) => `192.0.2.${at}`) }, 'networks networks_invalid'],
    [{ tags: ['x'.repeat(31)] }, 'tags tags_invalid'],
  ])('are refused with %j', async (differing, refusal) => {
    expect(await create(await person(), differing)).toSay(`422 validation_failed ${refusal}`);
  });
});
