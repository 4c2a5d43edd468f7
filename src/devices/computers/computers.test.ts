import { describe, expect, it } from 'vitest';
import { days, hours, minutes } from '../../contract/units.ts';
import { type Client, statusAndCode, untilServed } from '../../testing/client.ts';
import { engines, usualEngines } from '../../testing/databases/databases.ts';
import { addComputer, letPass, password, proveAddress, register, signedIn } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';
import { addRecords, seqOf } from '../store/records.ts';

describe.each(engines)('limits of an account on %s', async (engine) => {
  const server = await openTestServer(engine, {
    COMPUTERS_PER_ACCOUNT: '3',
    RECORDS_PER_COMPUTER_PER_DAY: '100',
    RECORDS_PER_ACCOUNT_PER_DAY: '150',
  });
  const codeFor = async (browser: Client) => (await browser.post('/computers/enrolments', { password })).body.code;
  const enrol = async (code: string) =>
    server.client().send('POST', '/computers/enrol', { body: { code, name: 'Office', platform: 'linux' } });
  const add = async (browser: Client) => addComputer(server, browser);
  const batch = (first: number, count: number, at: number) =>
    Array.from({ length: count }, (_, place) => ({ id: `${first + place}`, at, kind: 'start', text: 'It runs.' }));
  const report = async (computer: Client, first: number, count: number) =>
    computer.send('POST', '/computers/records', { body: { records: batch(first, count, server.now()) } });
  const remove = (browser: Client, id: string) => browser.send('DELETE', `/computers/${id}`, {});

  it('parallel enrolments cannot exceed the computers of an account, and a refused code stays valid', async () => {
    const { browser } = await register(server);
    const codes: string[] = [];
    while (codes.length < 5) codes.push(await codeFor(browser));
    const enrolled = await Promise.all(codes.map(async (code) => ({ code, ...(await enrol(code)) })));
    const refusals = Array(2).fill('409 computer_limit_reached');
    expect(enrolled.map(statusAndCode).sort()).toEqual(['201', '201', '201', ...refusals]);
    const refused = enrolled.filter(({ status }) => status === 409);
    expect(refused[0]?.body).toMatchObject({ limit: 3 });
    expect(await browser.post('/computers/enrolments')).toMatchObject({
      status: 409,
      body: { code: 'computer_limit_reached', limit: 3 },
    });
    expect((await browser.get('/additionally/way')).body).toEqual({ last_place: '/dashboard/' });
    const [{ id }] = (await browser.get('/computers')).body.computers;
    await remove(browser, id);
    expect((await enrol(refused[0]?.code as string)).status).toBe(201);
    expect(await enrol(refused[1]?.code as string)).toSay('409 computer_limit_reached');
  });

  it('a computer sends a number of new records per day, and repetitions do not count', async () => {
    const { browser } = await register(server);
    const { computer } = await add(browser);
    const responses = await Promise.all([0, 40, 80, 120].map((first) => report(computer, first, 40)));
    expect(responses.map(({ status }) => status).sort()).toEqual([202, 202, 429, 429]);
    const refused = responses.find(({ status }) => status === 429);
    const untilTomorrow = days(1) - (server.now() % days(1));
    expect(Number(refused?.headers.get('retry-after')) * 1000).toBeGreaterThan(untilTomorrow - minutes(1));
    expect((await computer.send('POST', '/computers/heartbeat', { body: {} })).status).toBe(204);
    const stored = await server.store.selectFrom('records').select('id').execute();
    expect(stored).toHaveLength(80);
    const otherNode = await server.otherNode();
    const there = Object.assign(otherNode.client(), { token: computer.token });
    // The other node still has to count: it accepts what is stored already, and refuses new records.
    const place = responses.findIndex(({ status }) => status === 202);
    expect((await report(there, place * 40, 40)).status).toBe(202);
    expect(await report(there, 500, 40)).toSay('429 too_many_requests');
    server.forward(untilTomorrow + minutes(1));
    expect((await report(computer, 500, 40)).status).toBe(202);
  });

  it('the computers of an account send a number of records per day together, also after one was removed', async () => {
    const { browser } = await register(server);
    const first = await add(browser);
    expect((await report(first.computer, 0, 90)).status).toBe(202);
    await remove(browser, first.id);
    const second = await add(browser);
    expect((await report(second.computer, 0, 60)).status).toBe(202);
    expect(await report(second.computer, 100, 1)).toSay('429 too_many_requests');
  });
});

describe.each(usualEngines)('computers on %s', async (engine) => {
  const server = await openTestServer(engine, { RECORDS_PER_COMPUTER: '100' });
  const person = async () => (await register(server)).browser;
  /** An agent on a computer: it has no cookies and its own IP address. */
  const device = (token?: string): Client => Object.assign(server.client(), { token });
  const ask = async (browser: Client) => {
    // An old session gets a code only with the password.
    const { status, body } = await browser.post('/computers/enrolments', { password });
    expect(status).toBe(201);
    return body.code as string;
  };
  const enrol = (code: unknown, name: unknown = 'Office') =>
    device().send('POST', '/computers/enrol', { body: { code, name, platform: 'linux' } });
  const add = (browser: Client, name?: string) => addComputer(server, browser, name);
  /** A person with a computer. */
  const owner = async (name?: string) => {
    const browser = await person();
    return { browser, ...(await add(browser, name)) };
  };
  const beat = (computer: Client, body: object = {}) => computer.send('POST', '/computers/heartbeat', { body });
  const report = (computer: Client, records: unknown) =>
    computer.send('POST', '/computers/records', { body: { records } });
  const record = (id: string, text = 'It runs.') => {
    const at = new Date(server.now()).toISOString();
    return { id, at, kind: 'start', text };
  };
  const listed = async (browser: Client) => (await browser.get('/computers')).body.computers;
  const remove = (browser: Client, id: string) => browser.send('DELETE', `/computers/${id}`, {});
  const rename = (browser: Client, id: string, name: unknown) =>
    browser.send('PATCH', `/computers/${id}`, { body: { name } });

  it('enrol once with a code, which comes with a command to copy', async () => {
    const browser = await person();
    const asked = await browser.post('/computers/enrolments');
    expect(asked).toMatchObject({ status: 201, body: { expires_in: 900 } });
    expect(asked.body.code).toMatch(/^[\dA-Z]{4}-[\dA-Z]{4}-[\dA-Z]{4}$/);
    expect(asked.body.command).toContain(`install ${asked.body.code} --server ${server.config.PUBLIC_URL}`);
    const first = await enrol(asked.body.code);
    expect(first.status).toBe(201);
    expect(await enrol(asked.body.code)).toSay('410 enrolment_invalid');
    expect(await listed(browser)).toMatchObject([{ id: first.body.computer, name: 'Office', platform: 'linux' }]);
  });

  it('enrol once when an agent repeats the request after a lost response', async () => {
    const browser = await person();
    const code = await ask(browser);
    const attempt = 'ZbvVtqZ4ZHaq0eJq3Hh5nQ';
    const enrolWith = (given: string, by = code) =>
      device().send('POST', '/computers/enrol', {
        body: { code: by, name: 'Office', platform: 'linux', attempt: given },
      });
    const responses = await Promise.all(Array.from({ length: 6 }, () => enrolWith(attempt)));
    server.forward(minutes(9));
    for (const { status, body } of [...responses, await enrolWith(attempt)])
      expect([status, body]).toEqual([201, responses[0]?.body]);
    expect((await beat(device(responses[0]?.body.device_token))).status).toBe(204);
    await browser.post('/auth/refresh');
    expect(await listed(browser)).toMatchObject([{ id: responses[0]?.body.computer }]);

    const refused = '410 enrolment_invalid';
    expect(await enrolWith('another-attempt-of-an-agent')).toSay(refused);
    expect(await enrol(code)).toSay(refused);
    expect((await enrolWith(attempt, await ask(browser))).body.computer).not.toBe(responses[0]?.body.computer);
    server.forward(minutes(1));
    expect(await enrolWith(attempt)).toSay(refused);
  });

  it('enrol with a code in another spelling', async () => {
    const browser = await person();
    const typed = (await ask(browser)).toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l');
    expect((await enrol(typed)).status).toBe(201);
  });

  it('need the password if the session is older than 15 minutes, and then not for 15 minutes', async () => {
    const { browser, email } = await register(server);
    const request = (typed?: string) =>
      browser.post('/computers/enrolments', typed === undefined ? {} : { password: typed });
    await letPass(server, browser, minutes(14));
    expect((await request()).status).toBe(201);
    await letPass(server, browser, minutes(2));
    expect(await request()).toSay('422 validation_failed password password_required');
    expect(await request('')).toSay('422 validation_failed password password_required');
    expect(await request('not the password')).toSay('401 incorrect_password');
    expect((await request(password)).status).toBe(201);
    expect((await request()).status).toBe(201);
    await letPass(server, browser, minutes(16));
    for (let time = 0; time < 5; time += 1) await request(`guess ${time}`);
    expect(await request(password)).toSay('429 too_many_attempts');
    const elsewhere = await signedIn(server, email);
    expect((await elsewhere.post('/computers/enrolments')).status).toBe(201);
  });

  it('send parallel heartbeats, each with its own data, and a removed one is refused', async () => {
    const browser = await person();
    const all: { name: string; id: string; computer: Client }[] = [];
    for (const name of ['A', 'B', 'C', 'D']) all.push({ name, ...(await add(browser, name)) });
    const [gone, ...there] = all;
    await remove(browser, gone?.id ?? '');
    const beats = all.flatMap(({ name, computer }) => [
      beat(computer, { platform: `"${name}", {null} \\`, version: name }),
      beat(computer, { platform: `"${name}", {null} \\`, version: name }),
    ]);
    expect((await Promise.all(beats)).map(({ status }) => status)).toEqual([401, 401, 204, 204, 204, 204, 204, 204]);
    const platforms = (await listed(browser)).map(({ name, platform }: Record<string, string>) => [name, platform]);
    expect(platforms).toEqual(there.map(({ name }) => [name, `"${name}", {null} \\`]));
    expect((await beat(there[0]?.computer as Client, {})).status).toBe(204);
  });

  it('cannot enrol with an expired code', async () => {
    const browser = await person();
    const code = await ask(browser);
    server.forward(minutes(15));
    expect(await enrol(code)).toSay('410 enrolment_invalid');
  });

  it('cannot enrol by guessing codes: a client that guesses soon has to wait, even with a right code', async () => {
    const browser = await person();
    const guesser = server.client({ ip: '198.51.100.9' });
    const guess = (code: string) =>
      guesser.send('POST', '/computers/enrol', { body: { code, name: 'Mine', platform: 'linux' } });
    for (let time = 0; time < 100; time += 1) expect(await guess('0000-0000-0000')).toSay('410 enrolment_invalid');
    const late = await guess(await ask(browser));
    expect(late).toMatchObject({ status: 429 });
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0);
    await letPass(server, browser, minutes(16));
    expect((await guess(await ask(browser))).status).toBe(201);
  });

  it.each([
    ['a missing code', { name: 'Office', platform: 'linux' }, 'code required'],
    ['a missing name', { code: 'x', platform: 'linux' }, 'name required'],
    ['a missing platform', { code: 'x', name: 'Office' }, 'platform required'],
    ['a code that is a list', { code: ['x'], name: 'Office', platform: 'linux' }, 'code not_understood'],
    ['a long name', { code: 'x', name: 'n'.repeat(180), platform: 'linux' }, 'name too_long'],
  ])('cannot enrol with %s', async (_what, body, refusal) => {
    const response = await device().send('POST', '/computers/enrol', { body });
    expect(response).toSay(`422 validation_failed ${refusal}`);
  });

  it('send heartbeats with their platform and version', async () => {
    const { browser, id, computer } = await owner();
    await letPass(server, browser, minutes(30));
    expect((await beat(computer, { platform: 'Debian 13', version: '1.2' })).status).toBe(204);
    // An agent may omit a value or send null; the known value stays.
    expect((await beat(computer, { platform: null, version: null })).status).toBe(204);
    const [seen] = await listed(browser);
    expect(seen).toMatchObject({ id, platform: 'Debian 13', version: '1.2' });
    expect(seen.silent_for).toBeLessThan(minutes(1));
    expect(seen.signs).toBe('101');
    await letPass(server, browser, days(1));
    expect((await listed(browser))[0].signs).toBe('0'.repeat(96));
  });

  it('send records, each stored once however often it arrives', async () => {
    const { browser, id, computer } = await owner();
    const batch = [record('a', 'First.'), record('b', 'Second.')];
    const responses = await Promise.all([
      ...Array.from({ length: 6 }, () => report(computer, batch)),
      report(computer, [record('c', 'Third.')]),
    ]);
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([202]));
    const { records, next } = (await browser.get('/computers/records')).body;
    expect(records.map(({ text }: { text: string }) => text).sort()).toEqual(['First.', 'Second.', 'Third.']);
    expect(records[0]).toMatchObject({ computer: id, kind: 'start' });
    expect(next).toBe(null);
  });

  it('cannot date records in the future, and may send times in milliseconds', async () => {
    const { browser, computer } = await owner();
    const ahead = { ...record('a'), at: server.now() + days(400) };
    expect((await report(computer, [ahead])).status).toBe(202);
    const { records } = (await browser.get('/computers/records')).body;
    expect(Date.parse(records[0].at)).toBeLessThanOrEqual(server.now());
  });

  it.each([
    ['in seconds', (now: number) => Math.floor(now / 1000) - 60, 60],
    ['in milliseconds', (now: number) => now - 60_000, 60],
    ['in a fraction of a millisecond', (now: number) => now - 60_000.4, 60],
    ['in a fraction of a second', (now: number) => (now - 60_000.4) / 1000, 60],
    ['in a time zone', (now: number) => new Date(now + 3_540_000).toISOString().replace('Z', '+01:00'), 60],
    ['of a clock that starts in 1970', () => 180_000, 0],
    ['of a clock that starts in 2000', () => '2000-01-01T00:03:00Z', 0],
  ] as const)('may send a time %s', async (_, at, ago) => {
    const { browser, computer } = await owner();
    const now = server.now();
    expect((await report(computer, [{ ...record('a'), at: at(now) }])).status).toBe(202);
    const [{ at: kept }] = (await browser.get('/computers/records')).body.records;
    // Seconds are rounded down, and the clock goes on meanwhile.
    expect(Math.abs(Date.parse(kept) - now + ago * 1000)).toBeLessThan(minutes(0.5));
  });

  it('send texts with half a character, which appear with a replacement; an id with one is refused', async () => {
    const { browser, computer } = await owner('Caf\ud83d');
    expect((await report(computer, [record('a', 'Cannot read \udc80.txt')])).status).toBe(202);
    expect((await browser.get('/computers/records')).body.records[0].text).toBe('Cannot read \ufffd.txt');
    expect((await listed(browser))[0].name).toBe('Caf\ufffd');
    expect(await report(computer, [record('\ud83d')])).toSay('422 validation_failed records.0.id not_understood');
  });

  it.each([
    ['/computers/records', 'limit=0', 'limit not_understood'],
    ['/computers/records', 'limit=201', 'limit not_understood'],
    ['/computers/records', 'limit=ten', 'limit digits_only'],
    ['/computers/records', 'limit=', 'limit digits_only'],
    ['/computers/records', 'limit=1&limit=2', 'limit digits_only'],
    ['/computers/records', 'before=7', 'before not_understood'],
    ['/computers/records', 'since=2026-02-30', 'since not_understood'],
    ['/computers/records', 'until=', 'until not_understood'],
    ['/account/activity', 'limit=101', 'limit not_understood'],
    ['/account/activity', 'limit=-1', 'limit digits_only'],
    ['/account/activity', 'before=garbage', 'before not_understood'],
  ])('%s?%s is refused: %s', async (path, query, refusal) => {
    expect(await (await person()).get(`${path}?${query}`)).toSay(`422 validation_failed ${refusal}`);
  });

  it.each([
    ['a missing list', undefined, 'records required'],
    ['a text instead of a list', 'x', 'records not_understood'],
    ['a record without an id', [{ ...record('a'), id: undefined }], 'records.0.id required'],
    ['an invalid time', [{ ...record('a'), at: 'soon' }], 'records.0.at not_understood'],
    ['a day that does not exist', [{ ...record('a'), at: '2026-02-30T10:00:00Z' }], 'records.0.at not_understood'],
    ['too many records', Array.from({ length: 101 }, (_, id) => record(`${id}`)), 'records too_long'],
  ])('cannot send %s, and nothing of the batch is stored', async (_what, records, refusal) => {
    const { browser, computer } = await owner();
    expect(await report(computer, records)).toSay(`422 validation_failed ${refusal}`);
    expect((await browser.get('/computers/records')).body.records).toEqual([]);
  });

  it('cannot send a body that is too large', async () => {
    const { computer } = await owner();
    const records = Array.from({ length: 20 }, (_, id) => record(`r${id}`, 'x'.repeat(990)));
    expect((await report(computer, records)).status).toBe(413);
  });

  it('have records that are paged, newest first, and filtered by computer and kind', async () => {
    const { browser, id, computer } = await owner();
    const { computer: other } = await add(browser, 'Other');
    const old = (at: number) => ({ ...record(`r${at}`, `${at}`), at: server.now() - minutes(at) });
    await report(
      computer,
      Array.from({ length: 70 }).map((_, at) => old(at)),
    );
    await report(other, [{ ...record('x'), kind: 'stop' }]);
    const first = (await browser.get(`/computers/records?computer=${id}`)).body;
    expect(first.records).toHaveLength(50);
    expect(first.records[0].text).toBe('0');
    const rest = (await browser.get(`/computers/records?computer=${id}&before=${first.next}`)).body;
    expect(rest.records.map(({ text }: { text: string }) => Number(text))).toEqual(
      Array.from({ length: 20 }, (_, at) => 50 + at),
    );
    expect(rest.next).toBe(null);
    expect((await browser.get('/computers/records?kind=stop')).body.records).toHaveLength(1);
  });

  it('have records that are searched by words, past thousands of others', async () => {
    const { browser, id, computer } = await owner();
    const from = server.now() - hours(5);
    await report(computer, [{ ...record('a', 'Größe: 3 GB frei auf NVMe'), kind: 'disk_low', at: from }]);
    const { id: account_id } = (await browser.get('/account')).body;
    for (let batch = 0; batch < 10; batch += 1) {
      const rows = Array.from({ length: 500 }, (_, at) => {
        const own = { id: `${batch} ${at}`, account_id, computer_id: id, at: from + 1 };
        return { ...own, seq: seqOf(own.at, at), kind: 'door', text: '100%' };
      });
      await server.store.transaction().execute((trx) => addRecords(trx, rows));
    }
    const search = async (query: string) => (await browser.get(`/computers/records?${query}`)).body;
    const first = await search('find=nvme+grosse');
    expect(first.records).toEqual([]);
    for (const words of ['nvme+grosse', 'GRÖSSE', 'DISK+LOW', 'x&kinds=disk_low+stop'])
      expect((await search(`find=${words}&before=${first.next}`)).records, words).toMatchObject([{ kind: 'disk_low' }]);
    expect((await search('find=%25&limit=2')).records).toHaveLength(2);
    expect(await search(`find=nvme+laptop&before=${first.next}`)).toEqual({ records: [], next: null });
    expect((await browser.get(`/computers/records?find=${'x'.repeat(201)}`)).status).toBe(422);
  });

  it('have records of a time range, in pages of the requested size', async () => {
    const { browser, computer } = await owner();
    const start = server.now() - hours(5);
    const at = (hour: number) => new Date(start + hours(hour)).toISOString();
    const records = [0, 1, 2, 3, 4].map((hour) => ({ ...record(`t${hour}`, `${hour}`), at: at(hour) }));
    await report(computer, records);
    const texts = async (query: string): Promise<string[]> =>
      (await browser.get(`/computers/records?${query}`)).body.records.map(({ text }: { text: string }) => text);
    expect(await texts(`since=${at(1)}&until=${at(3)}`)).toEqual(['2', '1']);
    expect(await texts(`since=${at(4)}`)).toEqual(['4']);
    expect(await texts('limit=2')).toEqual(['4', '3']);
    expect(await texts('limit=200')).toHaveLength(5);
  });

  it('have a history of thirty days, counted once in a quarter of an hour', async () => {
    server.forward(hours(3) - (server.now() % hours(3)));
    const { browser, id, computer } = await owner();
    const read = async () => {
      await browser.post('/auth/refresh');
      return (await browser.get(`/computers/${id}/history`)).body;
    };
    expect(await read()).toMatchObject({ computer: { id, name: 'Office' }, history: '1' });
    server.forward(minutes(15));
    for (let time = 0; time < 3; time += 1) await beat(computer);
    expect((await read()).history).toBe('2');
    server.forward(hours(6));
    await beat(computer);
    expect((await read()).history).toBe('201');
    server.forward(hours(3));
    const { history, at } = await read();
    expect(history).toBe('2010');
    expect(server.now() - Date.parse(at)).toBeLessThan(minutes(1));
  });

  it('show what they last said about themselves, with a trend', async () => {
    const { browser, id, computer } = await owner();
    const read = async () => (await browser.get(`/computers/${id}/history`)).body;
    expect(await read()).toMatchObject({ readings: null, trends: null });
    const own = { addresses: ['192.168.1.23'], system: 'Ubuntu 24.04' };
    const readings = { disk_free: 25, disk_size: 100, battery: 84, ...own };
    expect((await computer.post('/computers/heartbeat', { readings })).status).toBe(204);
    await beat(computer);
    expect(await read()).toMatchObject({
      readings: { ...readings, memory_free: null, uptime: null },
      trends: { disk: [25], memory: [null], battery: [84] },
    });
    expect((await computer.post('/computers/heartbeat', { readings: 'x' })).status).toBe(422);
  });

  it('say once what they cannot be right about, and never fall silent for it', async () => {
    const { browser, id, computer } = await owner();
    const wrong = { battery: 900, disk_free: -1, addresses: Array(17).fill('a'), system: 'x'.repeat(100), uptime: 'x' };
    for (const readings of [wrong, { ...wrong, memory_free: null, memory_size: 8 }])
      expect((await computer.post('/computers/heartbeat', { readings })).status).toBe(204);
    const { readings } = (await browser.get(`/computers/${id}/history`)).body;
    expect(readings).toMatchObject({ battery: null, disk_free: null, addresses: [], system: null, memory_size: 8 });
    const { records } = (await browser.get('/computers/records')).body;
    expect(records.map(({ kind, text }: { kind: string; text: string }) => `${kind} ${text}`).sort()).toEqual(
      Object.keys(wrong)
        .sort()
        .map((name) => `reading_ignored ${name}`),
    );
  });

  it('keep their newest records only', async () => {
    const { browser, id, computer } = await owner();
    for (let batch = 0; batch < 5; batch += 1) {
      const records = Array.from({ length: 60 }, (_, at) => record(`${batch}-${at}`, `${batch * 60 + at}`));
      await report(computer, records);
      server.forward(minutes(1));
    }
    const counted = await server.store
      .selectFrom('records')
      .select((row) => row.fn.countAll().as('count'))
      .where('computer_id', '=', id)
      .executeTakeFirstOrThrow();
    expect(Number(counted.count)).toBeLessThan(300);
    expect((await browser.get('/computers/records')).body.records[0].text).toBe('299');
  });

  it('are listed with their newest record, and with warnings until they end', async () => {
    const { browser, computer } = await owner();
    await add(browser, 'Silent');
    const of = (id: string, kind: string, ago: number) => ({ ...record(id), kind, at: server.now() - minutes(ago) });
    const attention = async () => {
      const [first, second] = await listed(browser);
      expect(second).toMatchObject({ newest: null, warnings: [] });
      return [first.newest.kind, ...first.warnings];
    };
    await report(computer, [of('b', 'battery_low', 8), of('a', 'disk_low', 9)]);
    expect(await attention()).toEqual(['battery_low', 'disk_low', 'battery_low']);
    await report(computer, [of('c', 'disk_enough', 7), of('d', 'of its own', 6)]);
    expect(await attention()).toEqual(['of its own', 'battery_low']);
    await report(computer, [of('a', 'disk_low', 9)]);
    expect(await attention()).toEqual(['of its own', 'battery_low']);
    await report(computer, [of('e', 'battery_enough', 5), of('f', 'battery_low', 4), of('g', 'battery_enough', 3)]);
    expect(await attention()).toEqual(['battery_enough']);
  });

  it('keep a warning whose end is older, whatever arrives last, unless their clock is wrong', async () => {
    const { browser, computer } = await owner();
    server.forward(hours(1));
    const now = server.now();
    const send = async (...sent: [id: string, kind: string, at: number][]) =>
      report(
        computer,
        sent.map(([id, kind, at]) => ({ id, kind, at, text: kind })),
      );
    const current = async () => {
      await browser.post('/auth/refresh');
      return (await browser.get('/computers')).body.computers[0].warnings;
    };
    await send(['low', 'disk_low', now - minutes(1)]);
    await send(['late', 'disk_enough', now - minutes(5)], ['a', 'start', now]);
    expect(await current()).toEqual(['disk_low']);
    await send(['enough', 'disk_enough', now]);
    expect(await current()).toEqual([]);
    await send(['late low', 'disk_low', now - minutes(3)]);
    expect(await current()).toEqual([]);
    await send(['1970', 'disk_low', 1000]);
    expect(await current()).toEqual(['disk_low']);
    await send(['1970 again', 'disk_enough', 500]);
    expect(await current()).toEqual([]);
  });

  it('are shown as copied while two agents report as one, and then not removed by one of them without a word', async () => {
    const { browser, id, computer } = await owner();
    const leave = (query = '') => computer.send('DELETE', `/computers/me${query}`, {});
    const read = async () => {
      await browser.post('/auth/refresh');
      return (await browser.get(`/computers/${id}/history`)).body.computer;
    };
    for (const instance of ['a', 'restarted', 'original', 'copy', 'original']) await beat(computer, { instance });
    // As after a virtual machine was reset to a snapshot.
    expect(await read()).toMatchObject({ copied: false });
    await beat(computer, {});
    await beat(computer, { instance: 'copy' });
    expect(await read()).toMatchObject({ copied: true });
    expect(await leave()).toSay('409 reported_by_others');
    expect(await leave('?shared=no')).toSay('422 validation_failed shared not_understood');
    server.forward(hours(2));
    expect(await read()).toMatchObject({ copied: false });
    for (const instance of ['original', 'copy', 'original']) await beat(computer, { instance });
    expect((await leave('?shared=remove')).status).toBe(204);
  });

  it.each([
    ['without a reason', {}, 'goodbye.reason required'],
    ['with an unknown reason', { reason: 'bored' }, 'goodbye.reason not_understood'],
    ['for more than a week', { reason: 'restart', returns_in: 604_801 }, 'goodbye.returns_in not_understood'],
    ['as text', 'bye', 'goodbye not_understood'],
  ])('cannot say goodbye %s', async (_what, goodbye, refusal) => {
    const { computer } = await owner();
    expect(await beat(computer, { goodbye })).toSay(`422 validation_failed ${refusal}`);
  });

  it('say goodbye with a reason, which the next request of any kind ends', async () => {
    const { browser, id, computer } = await owner();
    const off = async () => (await browser.get(`/computers/${id}/history`)).body.computer.off;
    await beat(computer, { goodbye: { reason: 'restart', returns_in: 900 } });
    expect(await off()).toMatchObject({ reason: 'restart', returns_in: expect.any(Number) });
    await report(computer, [record('back')]);
    expect(await off()).toBeNull();
    await report(computer, [{ ...record('stop'), kind: 'stop' }]);
    expect(await off()).toEqual({ reason: 'stop', returns_in: null });
    await beat(computer, { goodbye: null });
    expect(await off()).toBeNull();
    expect((await beat(computer, { goodbye: { reason: 'restart', returns_in: 0.0001 } })).status).toBe(204);
  });

  it('are renamed and removed by their owner, and the token of a removed one stops immediately', async () => {
    const { browser, id, computer } = await owner();
    await report(computer, [record('a')]);
    expect(await rename(browser, id, ' Front desk ')).toMatchObject({ status: 200, body: { id, name: 'Front desk' } });
    expect(await rename(browser, id, '')).toSay('422 validation_failed name required');
    expect((await remove(browser, id)).status).toBe(204);
    expect(await remove(browser, id)).toSay('404 not_found');
    expect(await listed(browser)).toEqual([]);
    expect((await browser.get('/computers/records')).body.records).toEqual([]);
    expect(await beat(computer)).toSay('401 not_signed_in');
    expect(await report(computer, [record('b')])).toSay('401 not_signed_in');
  });

  it('have tags that their owner sets, each once, and other accounts cannot', async () => {
    const [anna, eve] = [await person(), await person()];
    const { id } = await add(anna);
    const tag = (browser: Client, tags: unknown) => browser.put(`/computers/${id}/tags`, { tags });
    expect(await tag(anna, [' rack  1', 'Rack 1', 'a,b', ''])).toMatchObject({
      status: 200,
      body: { id, tags: ['rack 1', 'a', 'b'] },
    });
    expect(await listed(anna)).toMatchObject([{ tags: ['rack 1', 'a', 'b'] }]);
    for (const [tags, refusal] of [
      [undefined, 'required'],
      ['rack', 'not_understood'],
      [Array.from({ length: 11 }, (_, at) => `t${at}`), 'tags_invalid'],
      [['x'.repeat(31)], 'tags_invalid'],
    ])
      expect(await tag(anna, tags)).toSay(`422 validation_failed tags ${refusal}`);
    expect(await tag(eve, ['mine'])).toSay('404 not_found');
    expect(await tag(anna, [])).toMatchObject({ status: 200, body: { tags: [] } });
  });

  it('belong to one account, and no other account sees or changes them', async () => {
    const [anna, eve] = [await person(), await person()];
    const { id, computer } = await add(anna);
    await report(computer, [record('a')]);
    const [note] = (await anna.get('/account/notifications')).body.notifications;
    expect(await listed(eve)).toEqual([]);
    expect((await eve.get('/computers/records')).body.records).toEqual([]);
    expect((await eve.get(`/computers/records?computer=${id}`)).body.records).toEqual([]);
    expect((await eve.get('/account/notifications')).body).toEqual({ notifications: [], unread: 0 });
    expect(await rename(eve, id, 'Mine')).toSay('404 not_found');
    expect(await eve.get(`/computers/${id}/history`)).toSay('404 not_found');
    expect(await remove(eve, id)).toSay('404 not_found');
    expect(await eve.post(`/account/notifications/${note.id}/read`)).toSay('404 not_found');
    expect(await listed(anna)).toMatchObject([{ id, name: 'Office' }]);
    expect((await anna.get('/account/notifications')).body.notifications).toHaveLength(1);
  });

  it('have tokens that only permit their own reports', async () => {
    const { browser, id, computer } = await owner();
    for (const path of ['/computers', '/computers/records', '/account', '/account/notifications'])
      expect(await computer.get(path)).toSay('401 not_signed_in');
    expect(await computer.post('/computers/enrolments')).toSay('401 not_signed_in');
    expect(statusAndCode(await rename(computer, id, 'Mine'))).not.toMatch(/^2/);
    expect(await beat(device(browser.token))).toSay('401 not_signed_in');
    for (const token of [undefined, 'x', 'x'.repeat(43), id])
      expect(await beat(device(token))).toSay('401 not_signed_in');
  });

  it('are announced by a notification, which can be marked as read', async () => {
    const browser = await person();
    await add(browser, 'Café “Zum Löwen”');
    const { notifications, unread } = (await browser.get('/account/notifications')).body;
    // The owner added it, which is no news.
    expect(unread).toBe(0);
    expect(notifications).toMatchObject([{ kind: 'computer_added', name: 'Café “Zum Löwen”', read: true }]);
    expect(notifications[0].computer).toBe((await listed(browser))[0].id);
    for (const name of ['Second', 'Third'])
      await (await add(browser, name)).computer.send('DELETE', '/computers/me', {});
    const unreadNow = async () => (await browser.get('/account')).body.unread_notifications;
    expect(await unreadNow()).toBe(2);
    const [newest] = (await browser.get('/account/notifications')).body.notifications;
    expect(newest).toMatchObject({ kind: 'computer_removed', name: 'Third', read: false, computer: null });
    const read = () => browser.post(`/account/notifications/${newest.id}/read`);
    expect([(await read()).status, (await read()).status]).toEqual([204, 204]);
    expect(await unreadNow()).toBe(1);
    expect((await browser.post('/account/notifications/read')).status).toBe(204);
    expect((await browser.get('/account/notifications')).body).toMatchObject({ unread: 0 });
    expect(await unreadNow()).toBe(0);
  });

  it('are announced by email, in batches and by name, unless the name could lead somewhere', async () => {
    const anna = await register(server);
    await proveAddress(server, anna);
    for (const name of ['http://evil.example', 'Second', 'Third']) await add(anna.browser, name);
    const first = await server.mailTo(anna.email, /device was added/);
    expect(first.text).toContain('Device: Linux');
    expect(first.text).not.toContain('evil');
    server.forward(minutes(61));
    const second = await server.mailTo(anna.email, /device was added/, 2);
    expect(second.text).toContain('Device: Second, Linux');
    expect(second.text).toContain('Device: Third, Linux');
  });

  it('never cause emails to an unproven address', async () => {
    const { browser, email } = await register(server);
    await add(browser);
    await server.mailTo(email);
    const emails = await server.store.selectFrom('outbox').select('notice').where('recipient', '=', email).execute();
    expect(emails.map(({ notice }) => notice)).toEqual(['registered']);
  });

  /** Versions of lists change with the minute, which must not end on its own between two requests. */
  const beginMinute = () => server.forward(minutes(1) - (server.now() % minutes(1)));

  it('are sent again to a page that polls only after a change, also on another node', async () => {
    const { browser, id, computer } = await owner();
    beginMinute();
    const nodes = engine === 'postgres' ? [server, await server.otherNode()] : [server];
    const poll = async (tag = '', reader = browser) => {
      const responses = await Promise.all(
        nodes.map((node) =>
          Object.assign(node.client(), { token: reader.token }).get('/computers', { 'if-none-match': tag }),
        ),
      );
      const answers = responses.map(({ status, headers, body }) => `${status} ${headers.get('etag')} ${Boolean(body)}`);
      expect(new Set(answers).size).toBe(1);
      return { status: responses[0]?.status, tag: responses[0]?.headers.get('etag') ?? '' };
    };
    let { tag } = await poll();
    const changes: Record<string, () => Promise<unknown>> = {
      heartbeat: () => beat(computer, {}),
      record: () => report(computer, [record('a')]),
      warning: () => report(computer, [{ ...record('w'), kind: 'disk_low' }]),
      name: () => rename(browser, id, 'Front desk'),
      tags: () => browser.put(`/computers/${id}/tags`, { tags: ['desk'] }),
      goodbye: () => beat(computer, { goodbye: { reason: 'restart', returns_in: 900 } }),
      arrival: () => add(browser, 'Second'),
      notifications: () => computer.send('DELETE', '/computers/me', {}),
      reading: () => browser.post('/account/notifications/read'),
      time: async () => server.forward(minutes(1)),
    };
    for (const [what, change] of Object.entries(changes)) {
      expect([what, await poll(tag)]).toEqual([what, { status: 304, tag }]);
      server.forward(1);
      await change();
      const changed = await poll(tag);
      expect([what, changed.status]).toEqual([what, 200]);
      tag = changed.tag;
    }
    expect((await poll(tag, await person())).status).toBe(200);
  });

  it('have a page that is sent again only after a change of theirs', async () => {
    const { browser, id, computer } = await owner();
    const other = await add(browser, 'Second');
    beginMinute();
    const read = async (tag = '') => {
      const { status, headers } = await browser.get(`/computers/${id}/history`, { 'if-none-match': tag });
      return { status, tag: headers.get('etag') ?? '' };
    };
    let { tag } = await read();
    server.forward(1);
    await beat(other.computer);
    await report(other.computer, [record('a')]);
    expect(await read(tag)).toEqual({ status: 304, tag });
    for (const change of [
      () => beat(computer),
      () => report(computer, [record('b')]),
      () => rename(browser, id, 'X'),
    ]) {
      server.forward(1);
      await change();
      const changed = await read(tag);
      expect(changed.status).toBe(200);
      tag = changed.tag;
    }
  });

  it('neither lose nor duplicate records when a hundred send them in parallel', { tags: 'full' }, async () => {
    const browser = await person();
    const computers: Awaited<ReturnType<typeof add>>[] = [];
    while (computers.length < 100) computers.push(await add(browser, `PC ${computers.length}`));
    // A busy service may refuse some requests; the clients retry, as the agent does.
    const responses = await Promise.all(
      computers.flatMap(({ computer }) => [
        untilServed(() => report(computer, [record('a'), record('b')])),
        untilServed(() => report(computer, [record('b'), record('c')])),
        untilServed(() => beat(computer)),
      ]),
    );
    expect(responses.filter(({ status }) => status >= 300)).toEqual([]);
    const ids = new Set<string>();
    for (let next: string | null = ''; next !== null; ) {
      const page: { records: { id: string }[]; next: string | null } = (
        await browser.get(`/computers/records${next ? `?before=${next}` : ''}`)
      ).body;
      for (const { id } of page.records) ids.add(id);
      next = page.next;
    }
    expect(ids.size).toBe(300);
  });

  it('need codes, which are limited per hour', { tags: 'full' }, async () => {
    const browser = await person();
    const statuses: number[] = [];
    for (let time = 0; time < 120; time += 1) statuses.push((await browser.post('/computers/enrolments')).status);
    expect(new Set(statuses)).toEqual(new Set([201]));
    expect(await browser.post('/computers/enrolments')).toSay('429 too_many_requests');
  });
});
