import { describe, expect, test } from 'vitest';
import { minutes, seconds } from '../../contract/durations.ts';
import { type Client, said } from '../../testing/client.ts';
import { engines } from '../../testing/databases/databases.ts';
import { type House, openHouse } from '../../testing/house.ts';
import { form } from '../../testing/people.ts';

let numbers = 5000;
const anyPhone = () => {
  numbers += 1;
  return `+4915113${String(numbers).padStart(6, '0')}`;
};
let addresses = 0;
const anyone = (house: House): Client => {
  addresses += 1;
  return house.client({ ip: `198.18.${addresses}.7` });
};
const ask = (browser: Client, phone: string, way: string) =>
  browser.post('/auth/phone/call', { phone, locale: 'de', way });
const newest = async (house: House, phone: string) => (await house.calls()).find(({ to }) => to === phone);
const stateOf = (browser: Client, call: unknown) => browser.get(`/auth/phone/call/${call}`);

describe.each(engines)('other ways to confirm a phone, on %s', (engine) => {
  const opened = openHouse(engine, { PHONE_CONFIRMATION: 'required' });

  test.each(['sms', 'telegram', 'voice'])('the digits that came by %s confirm it', async (way) => {
    const house = await opened;
    const browser = anyone(house);
    const phone = anyPhone();
    const { body } = await ask(browser, phone, way);
    const heard = await newest(house, phone);
    expect(heard).toMatchObject({ way });
    const digits = /\d(?: ?\d){3}/.exec(String(heard?.spoken))?.[0];
    const answer = await browser.post('/auth/phone/confirm', { call: body.call, digits });
    expect(answer).toMatchObject({ status: 200, body: { phone } });
    const { phone_confirmation } = answer.body;
    expect(said(await browser.post('/auth/register', form({ phone, phone_confirmation })))).toBe('201');
    expect((await browser.get('/account')).body).toMatchObject({ phone, phone_confirmed: true });
  });

  test('a text message is in the person’s language, and its digits are bound to our pages', async () => {
    const house = await opened;
    const phone = anyPhone();
    await ask(anyone(house), phone, 'sms');
    const { spoken = '' } = (await newest(house, phone)) ?? {};
    const [words = '', , last] = spoken.split('\n');
    const digits = words.slice(0, 4);
    expect(words).toBe(`${digits} ist Ihr Bestätigungscode für Vestibule.`);
    expect(last).toBe(`@door.example #${digits}`);
    expect(spoken.length).toBeLessThanOrEqual(160);
  });

  test.each([
    ['on', ['mail']],
    ['off', []],
  ])(
    'after the last call of an hour nothing is offered that would be refused, with the mail %s',
    async (byMail, left) => {
      const house = await openHouse(engine, { PHONE_CONFIRMATION: 'required', PHONE_CONFIRMATION_BY_MAIL: byMail });
      const [browser, phone] = [anyone(house), anyPhone()];
      for (const way of ['ring', 'reverse', 'voice']) expect(said(await ask(browser, phone, way))).toBe('201');
      expect((await ask(browser, phone, 'telegram')).body).toMatchObject({
        code: 'too_many_calls',
        minutes: 60,
        ways: left,
      });
      house.forward(minutes(59) + seconds(40));
      expect((await ask(browser, phone, 'sms')).body).not.toHaveProperty('ways');
    },
  );

  async function waiting(phone = anyPhone()) {
    const house = await opened;
    const browser = anyone(house);
    const asked = await ask(browser, phone, 'reverse');
    return { house, browser, phone, asked, call: asked.body.call as string, callBack: () => house.callFrom(phone) };
  }

  test('a call from the phone to our number confirms it without digits, once and for that page', async () => {
    const { house, browser, phone, asked, call, callBack } = await waiting();
    expect(asked).toMatchObject({ status: 201, body: { number: '+12025550199', expires_in: 300, resend_in: 60 } });
    expect((await stateOf(browser, call)).body).toEqual({ state: 'placed' });
    await callBack();
    house.forward(seconds(3));
    const standings = await Promise.all(Array.from({ length: 5 }, () => stateOf(browser, call)));
    for (const { body } of standings) expect(body).toMatchObject({ state: 'confirmed', phone });
    const { phone_confirmation } = standings[0]?.body ?? {};
    expect(said(await browser.post('/auth/register', form({ phone, phone_confirmation })))).toBe('201');
    expect((await browser.get('/account')).body).toMatchObject({ phone, phone_confirmed: true });
    const again = form({ phone, phone_confirmation });
    expect(said(await anyone(house).post('/auth/register', again))).toBe(
      '422 validation_failed phone_confirmation phone_not_confirmed',
    );
  });

  test('digits are no way around the call', async () => {
    const { browser, call } = await waiting();
    for (const digits of ['0199', '5550', '0000'])
      expect(said(await browser.post('/auth/phone/confirm', { call, digits }))).toBe('410 call_expired');
  });

  test('a call that comes after five minutes confirms nothing', async () => {
    const { house, browser, call, callBack } = await waiting();
    house.forward(minutes(5));
    expect((await stateOf(browser, call)).body).toEqual({ state: 'expired' });
    await callBack();
    house.forward(seconds(3));
    expect((await stateOf(browser, call)).body).toEqual({ state: 'expired' });
  });

  test('a call is noticed, too, where the clock is set back meanwhile', async () => {
    // A house of its own: nobody else's clock goes back.
    const house = await openHouse(engine, { PHONE_CONFIRMATION: 'required' });
    const [browser, phone] = [anyone(house), anyPhone()];
    const { call } = (await ask(browser, phone, 'reverse')).body;
    expect((await stateOf(browser, call)).body).toEqual({ state: 'placed' });
    await house.callFrom(phone);
    house.forward(-minutes(60));
    expect((await stateOf(browser, call)).body).toMatchObject({ state: 'confirmed', phone });
  });

  test('nobody waits for a call from a phone for which somebody else is waiting', async () => {
    const { house, phone, browser, call, callBack } = await waiting();
    house.forward(minutes(2));
    expect(said(await ask(anyone(house), phone, 'reverse'))).toBe('429 too_many_calls');
    await callBack();
    house.forward(seconds(3));
    expect((await stateOf(browser, call)).body).toMatchObject({ state: 'confirmed' });
  });

  test('asked again by the same person, only the newest waits', async () => {
    const { house, phone, browser, call } = await waiting();
    house.forward(minutes(2));
    const again = await ask(browser, phone, 'reverse');
    expect(again.status).toBe(201);
    expect((await stateOf(browser, call)).body).toEqual({ state: 'expired' });
    expect((await stateOf(browser, again.body.call)).body).toEqual({ state: 'placed' });
  });

  test('a number has three an hour, whatever the way', async () => {
    const house = await opened;
    const phone = anyPhone();
    const answers: string[] = [];
    for (const way of ['ring', 'sms', 'reverse', 'telegram']) {
      answers.push(said(await ask(anyone(house), phone, way)));
      house.forward(minutes(6));
    }
    expect(answers).toEqual(['201', '201', '201', '429 too_many_calls']);
  });

  test('nobody is led around the ways that the operator offers: the others reach no phone and count nothing', async () => {
    const house = await openHouse(engine, { PHONE_CONFIRMATION: 'required', CONFIRMATION_WAYS: 'sms,ring' });
    const [browser, phone] = [anyone(house), anyPhone()];
    for (const way of ['reverse', 'voice', 'telegram'])
      expect(said(await ask(browser, phone, way))).toBe('503 call_failed');
    expect(await house.calls()).toEqual([]);
    for (let time = 0; time < 3; time += 1) {
      expect(said(await ask(browser, phone, 'sms'))).toBe('201');
      house.forward(seconds(61));
    }
  });

  test('no other way than these is understood', async () => {
    const house = await opened;
    expect(said(await ask(anyone(house), anyPhone(), 'pigeon'))).toContain('422');
  });
});
