import '../server/wings.ts';
import { describe, expect, it } from 'vitest';
import { unknownBrowser } from '../contract/activity.ts';
import { languageOf, languages } from '../contract/languages.ts';
import { openCatalogs } from '../messages/compiled-catalogs.ts';
import { recoveryLink } from '../testing/outbox.ts';
import { compose, greetedAs } from './compose.ts';
import { type AnyNotice, noticeNames } from './notices.ts';

const catalog = openCatalogs();
const product = { name: 'Vestibule', publicUrl: 'https://sign-in.example', supportEmail: 'help@sign-in.example' };
const when = Date.UTC(2026, 10, 21, 17, 5);

const emailLink = 'https://sign-in.example/change-email/?email=ada%40new.example&hash=s3cret';
const proofLink = 'https://sign-in.example/account/security/?hash=s3cret';
const confirmLink = 'https://sign-in.example/confirm-mail/?call=c4ll&hash=s3cret';

const incidentReport = {
  incident: {
    ...{ id: 'i1', kind: 'computer_silent', began_at: when, ended_at: null, first_size: 3 },
    ...{ tag: 'Hamburg', address: '203.0.113.7' },
  },
  counts: { total: 3, open: 3 },
  members: [{ computer_id: 'p1', name: 'Front desk', since: when, back_at: null }],
  undelivered: undefined,
};

type Sample = readonly [params: object, link?: ((prefix: string) => string) | undefined, ...shows: string[]];

const to = (link: string) => () => link;
const page =
  (path: string) =>
  (prefix: string): string =>
    `https://sign-in.example${prefix}${path}`;
const [recovery, security] = [page('/recovery/?email=ada%40mail.example'), page('/account/security/')];
const [device, ip, place] = ['Firefox, Windows', '192.0.2.7', 'Gdańsk, Polska'];
const origin = { device, ip, when };

/** One of each notice, with the texts that its email must contain; also its time, if it has one. */
const samples: { [Name in AnyNotice['notice']]: Sample } = {
  recovery: [{ link: recoveryLink }, to(recoveryLink)],
  invitation: [{ link: recoveryLink }, to(recoveryLink)],
  password_changed: [{ when }, recovery],
  session_reused: [{ ip, when }, recovery, ip],
  new_device: [{ device, ip: '2001:db8::7', place, when }, recovery, device, '2001:db8::7', place],
  phone_changed: [{ when, digits: '42' }, recovery, '42'],
  second_step_changed: [{ change: 'added', when, origin }, recovery, device, ip],
  second_step_removal: [{ when, link: emailLink, origin }, to(emailLink), device, ip],
  recovery_codes_low: [{ left: 3, origin }, page('/account/security/#second-step'), '3', device, ip, '2026', 'UTC'],
  email_change: [{ by: 'operator', link: emailLink }, to(emailLink)],
  email_changed: [{ email: 'ada@new.example', link: emailLink, when }, to(emailLink), 'ada@new.example'],
  deletion_planned: [{ when }, page('/')],
  deletion_canceled: [{}, recovery],
  account_cleared: [{}, recovery],
  email_change_undone: [{ link: recoveryLink }, to(recoveryLink)],
  email_confirmation: [{ link: proofLink }, to(proofLink)],
  account_deleted: [{ when }],
  sign_in_code: [{ code: '048217', device, ip, when }, undefined, '048217', device, ip],
  computer_added: [{ computer: 'Front desk', device: 'Linux', ip, when }, page('/dashboard/'), 'Front desk, Linux', ip],
  enrolment_key_added: [
    { count: 60, until: when, device, ip, place, when },
    page('/computers/add/'),
    '60',
    device,
    ip,
    place,
  ],
  device_let_in: [{ app: 'Grafana', device, ip, place, when }, recovery, 'Grafana', device, ip, place],
  passkey_added: [
    { passkey: 'iCloud Keychain', device, ip, place, when },
    security,
    'iCloud Keychain',
    device,
    ip,
    place,
  ],
  passkey_removed: [{ passkey: 'Windows Hello', device, ip, when }, security, 'Windows Hello', device, ip],
  passkey_copied: [{ passkey: 'YubiKey', device, ip, when }, security, 'YubiKey', device, ip],
  passkey_changed: [{ passkey: 'KeePassXC', device, ip, when }, security, 'KeePassXC', device, ip],
  password_removed: [{ when }, recovery],
  incident: [
    { event: 'began', at: when + 720_000, report: incidentReport },
    page('/alarms/?incident=i1'),
    ...['Front desk', 'Hamburg', '203.0.113.7', '/devices/p1/'],
  ],
  alarm_test: [{ when }, page('/dashboard/')],
  registered: [{}, security],
  confirm_mail: [{ link: confirmLink }, to(confirmLink)],
};

const rows = noticeNames.flatMap((notice) => languages.map(({ code }) => ({ notice, code })));

const write = (
  notice: string,
  {
    params,
    code,
    name,
    ...of
  }: { params: object; code: (typeof rows)[0]['code']; name: string; product?: typeof product },
) =>
  compose(
    { notice, params: JSON.stringify({ ...params, name }), locale: code, recipient: 'ada@mail.example' },
    { product, ...of, catalog },
  );

describe('an email shows the reader’s local time, followed by UTC', () => {
  const leadIn = async (locale: (typeof languages)[number]['code'], zone?: string) => {
    const params = JSON.stringify({ when, name: 'Ada', zone });
    const row = { notice: 'password_changed', params, locale, recipient: 'ada@mail.example' };
    return (await compose(row, { product, catalog })).text
      .replaceAll(/[\u2066-\u2069]/g, '')
      .replaceAll(/[\u202f\u00a0]/g, ' ');
  };

  it.each([
    ['en', 'America/New_York', 'November 21, 2026 at 12:05 PM (5:05 PM UTC)'],
    ['de', 'Asia/Kathmandu', '21. November 2026 um 22:50 (17:05 UTC)'],
    ['el', 'Europe/Athens', 'αλλαγής: 21 Νοεμβρίου 2026 στις 7:05 μ.μ. (5:05 μ.μ. UTC).'],
    ['pl', 'Europe/Warsaw', '21 listopada 2026 o 18:05 (17:05 UTC)'],
    ['ja', 'Asia/Tokyo', '2026年11月22日 2:05（17:05 UTC）'],
    ['de', 'UTC', '21. November 2026 um 17:05 UTC'],
    ['de', 'Europe/Atlantis', '21. November 2026 um 17:05 UTC'],
    ['de', undefined, '21. November 2026 um 17:05 UTC'],
  ] as const)('in %s and %s: %s', async (locale, zone, expected) =>
    expect(await leadIn(locale, zone)).toContain(expected),
  );
});

it('an unknown device is described in words', async () => {
  const params = { device: unknownBrowser, ip: '192.0.2.7', when };
  const mail = await write('new_device', { params, code: 'en', name: 'Ada' });
  expect(mail.text).toContain('Device: unknown');
});

describe.each(rows)('$notice in $code', ({ notice, code }) => {
  const [params, link, ...shows] = samples[notice];
  const times = 'when' in params ? ['2026', 'UTC'] : [];
  const { tag, dir } = languageOf(code);
  const url = link?.(code === 'en' ? '' : `/${code}`);

  it('has all its parts filled in, with the link in text and HTML', async () => {
    const mail = await write(notice, { params, code, name: 'Ada Lovelace' });
    // The subject of an incident begins with its state and has room for little else.
    expect(notice === 'incident' ? mail.text : mail.subject).toContain('Vestibule');
    for (const part of [mail.text, mail.html]) expect(part).toContain('Vestibule');
    for (const part of [mail.subject, mail.text, mail.html]) {
      expect(part.replace(/<style>[^<]*<\/style>/, '')).not.toMatch(/[{}]|undefined|NaN|\[object/);
    }
    for (const shown of ['Ada Lovelace', 'ada@mail.example', 'help@sign-in.example', ...times, ...shows]) {
      expect(mail.text).toContain(shown);
      expect(mail.html).toContain(shown);
    }
    if (url === undefined) return expect(mail.text + mail.html).not.toMatch(/https?:\/\/|href/);
    expect(mail.text.split('\n')).toContain(url);
    const inHtml = url.replaceAll('&', '&amp;');
    expect(mail.html).toContain(`href="${inHtml}" class="button"`);
    expect(mail.html).toContain(`>${inHtml}</a></p>`);
  });

  it('repeats its language and direction for email clients that drop those of the document', async () => {
    const mail = await write(notice, { params, code, name: 'Ada Lovelace' });
    expect(mail.language).toBe(tag);
    expect(mail.html).toContain(`<html lang="${tag}" dir="${dir}">`);
    expect(mail.html).toContain(`<div lang="${tag}" dir="${dir}"`);
    expect(mail.html).toContain('<meta name="color-scheme" content="light dark">');
    // Tables are only for layout, so screen readers ignore them.
    expect(mail.html.match(/<table(?! role="presentation")/)).toBeNull();
  });
});

describe('the text of an email', () => {
  it('escapes the name', async () => {
    const name = '<b>"Ada" & \'Eve\'';
    const { html } = await write('recovery', { params: { link: recoveryLink }, code: 'en', name });
    expect(html).toContain('Hello <span dir="auto">&lt;b&gt;&quot;Ada&quot; &amp; &#39;Eve&#39;</span>,');
  });

  it('prevents a name from reordering the sentence', async () => {
    const { text } = await write('recovery', { params: { link: recoveryLink }, code: 'en', name: 'Ada\u202eevil' });
    expect(text).toContain('Hello Adaevil,');
    const arabic = await write('recovery', { params: { link: recoveryLink }, code: 'ar', name: 'Ada' });
    expect(arabic.text).toContain('\u2068Ada\u2069');
    expect(arabic.text).toContain('\u2066ada@mail.example\u2069');
    expect(arabic.html).toContain('<span dir="ltr">ada@mail.example</span>');
  });

  it('has no invisible characters if no value runs against its sentence', async () => {
    const { text, subject } = await write('recovery', { params: { link: recoveryLink }, code: 'de', name: 'Ada' });
    expect(text + subject).not.toMatch(/[\u2066-\u2069]/);
  });

  it.each(
    (['ar', 'en'] as const).flatMap((code) =>
      noticeNames.flatMap((notice) => ['Vestibule', 'Acme & Co 2', 'البوابة'].map((name) => ({ code, notice, name }))),
    ),
  )('has a subject without invisible characters: $notice in $code from $name', async ({ code, notice, name }) => {
    const { subject, html } = await write(notice, {
      params: samples[notice][0],
      code,
      name: 'Ada',
      product: { ...product, name },
    });
    // The subject of an incident says what and how many; its sender names the product.
    if (notice !== 'incident') expect(subject).toContain(name.slice(0, 4));
    expect(subject + (/<title>(.*)<\/title>/.exec(html)?.[1] ?? '')).not.toMatch(/[\u2066-\u2069]/);
  });

  it.each(['Yahoo!', '7 Doors', 'Acme (EU)'])(
    'isolates a name in an Arabic subject if its sign or digit would move: %s',
    async (name) => {
      const { subject } = await write('registered', {
        ...{ params: {}, code: 'ar', name: 'Ada', product: { ...product, name } },
      });
      expect(subject).toContain(`\u2068${name}\u2069`);
    },
  );

  it('puts each detail of a sign-in on its own line', async () => {
    const { text, html } = await write('new_device', { params: samples.new_device[0], code: 'en', name: 'Ada' });
    expect(text).toContain(
      '\n\nDevice: Firefox, Windows\nIP address: 2001:db8::7\nApproximate location: Gdańsk, Polska\nDate and time: November 21, 2026',
    );
    expect(html).toContain('Device: <span dir="auto">Firefox, Windows</span><br>IP address: ');
  });

  it('greets the address if there is no name', async () => {
    const params = JSON.stringify({ link: confirmLink });
    const row = { notice: 'confirm_mail', params, locale: 'en', recipient: 'ada@mail.example' } as const;
    const { text } = await compose(row, { product, catalog });
    expect(text).toMatch(/^Hello ada@mail\.example,\n/);
  });

  it('omits the support address if the operator has none', async () => {
    const params = JSON.stringify({ link: recoveryLink, name: 'Ada' });
    const row = { notice: 'recovery', params, locale: 'en', recipient: 'ada@mail.example' } as const;
    const mail = await compose(row, { product: { ...product, supportEmail: undefined }, catalog });
    expect(mail.text).not.toContain('Questions?');
    expect(mail.html).not.toContain('undefined');
  });

  it('writes dates in its language, with Latin digits and the Gregorian calendar', async () => {
    const lead = async (code: 'en' | 'ar' | 'ja') =>
      (await write('password_changed', { params: { when }, code, name: 'Ada' })).text;
    expect(await lead('en')).toContain('November 21, 2026');
    expect(await lead('ja')).toContain('2026年11月21日 17:05 UTC');
    expect(await lead('ar')).toMatch(/21 نوفمبر 2026/);
  });

  it.each([
    ['en', 'on August 1, 2026 at 9:05 AM UTC.'],
    ['fr', 'le 1er août 2026 à 09:05 UTC.'],
    ['pt', 'em 1º de agosto de 2026 às 09:05 UTC.'],
    ['pl', 'zmienione 1 sierpnia 2026 o\u00a009:05 UTC.'],
    ['el', 'αλλαγής: 1 Αυγούστου 2026 στις 9:05 π.μ. UTC.'],
    ['ru', '1 августа 2026\u00a0г. в 09:05 UTC.'],
    ['zh', '于2026年8月1日 09:05（UTC）更改'],
  ] as const)('writes the first of a month as people do in %s', async (code, written) => {
    const params = { when: Date.UTC(2026, 7, 1, 9, 5) };
    const { text } = await write('password_changed', { params, code, name: 'Ada' });
    expect(text.replace(/\u202f/g, ' ')).toContain(written);
  });

  it('lets the owner set a password if someone else registered with the address', async () => {
    const { text } = await write('registered', { params: {}, code: 'de', name: 'Ada' });
    expect(text).toContain('Neues Passwort festlegen\nhttps://sign-in.example/de/recovery/?email=ada%40mail.example');
  });
});

describe('the name in a greeting', () => {
  it.each(['Ada', 'Dr. Ada Lovelace', "Ada O'Neill-Łuksza", '山田太郎', 'J. R. R. Tolkien', 'علي', 'Anna 2001'])(
    'is used: %s',
    (name) => {
      expect(greetedAs(name, 'ada@mail.example')).toBe(name);
    },
  );

  it.each([
    'Win at evil.example',
    'Win at evil。example',
    'Win at evil．example',
    'Win at ｗｗｗ｡evil',
    'http://evil',
    'www.evil',
    'ada@evil',
    'call +1 now: 555',
    'Call +1 900 555 0199',
    'Ring ٠٩٠٠ ٥٥٥',
    'Win at evil.\u200bexample',
    'Win at evil\u2024exa\u00admple',
    'Win at evil.भारत',
    'Win at evil.ไทย',
    'You have been hacked and have to act at once or lose your account',
  ])('is never used: %s', (name) => expect(greetedAs(name, 'ada@mail.example')).toBe('ada@mail.example'));
});
