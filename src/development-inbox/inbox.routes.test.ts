import '../server/wings.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify, { type FastifyInstance } from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { languages } from '../contract/languages.ts';
import { handleFailures } from '../http/problems.ts';
import { sendSecurityHeaders } from '../http/responses/security-headers.ts';
import { noticeNames } from '../outbox/notices.ts';
import { orderedId } from '../store/database.ts';
import { openTestServer } from '../testing/test-server.ts';
import { developmentInboxRoutes } from './inbox.routes.ts';
import { type Inbox, type InboxCall, type InboxMessage, openInbox } from './inbox.ts';

async function openRoom(): Promise<{ app: FastifyInstance; inbox: Inbox }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'vestibule-inbox-'));
  const inbox = openInbox(dataDir);
  const app = Fastify();
  handleFailures(app);
  await sendSecurityHeaders(app, { secure: false });
  const settings = { PRODUCT_NAME: 'Vestibule', PUBLIC_URL: 'http://localhost:3000' };
  developmentInboxRoutes(app, { inbox, settings, pages: [] });
  onTestFinished(async () => {
    await app.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return { app, inbox };
}

const mail = (subject: string): InboxMessage => ({
  id: orderedId(),
  at: '2026-11-21T12:00:00.000Z',
  from: 'Vestibule <no-reply@sign-in.example>',
  to: 'ada@mail.example',
  subject,
  text: 'Hello <Ada>',
  html: '<!doctype html>\n<html lang="en">\n<head>\n<title>x</title>\n</head>\n<body><a href="/recovery/">link</a></body>\n</html>',
  headers: { Subject: subject, 'Auto-Submitted': 'auto-generated' },
});

/** Sends a request as a browser on this machine would. */
const ask = (app: FastifyInstance, url: string) => app.inject({ url, headers: { host: 'localhost:3000' } });

it('explains what to do while it is empty', async () => {
  const { app } = await openRoom();
  const page = await ask(app, '/dev/inbox/');
  expect(page.statusCode).toBe(200);
  expect(page.body).toContain('nothing on this page is sent');
  expect(page.body).toContain('No email yet');
});

it('calls only a number that waits for a call', async () => {
  const { app, inbox } = await openRoom();
  const at = '2026-11-21T12:00:00.000Z';
  const call: InboxCall = { id: orderedId(), at, to: '+79261234567', from: '+1 202 555 0199', way: 'reverse' };
  const rung: InboxCall = { ...call, id: orderedId(), way: 'ring' };
  await inbox.calls.add(call);
  await inbox.calls.add(rung);
  const callBack = async (id: string) => {
    const url = `/dev/inbox/calls/${id}/call`;
    return (await app.inject({ method: 'POST', url, headers: { host: 'localhost:3000' } })).statusCode;
  };
  expect(await callBack(call.id)).toBe(204);
  expect(await callBack(rung.id)).toBe(404);
  expect(await callBack(orderedId())).toBe(404);
  expect((await inbox.calls.list()).map(({ called }) => called)).toEqual([undefined, true]);
  const outside = { host: 'localhost:3000', 'x-forwarded-for': '203.0.113.7' };
  const url = `/dev/inbox/calls/${call.id}/call`;
  expect((await app.inject({ method: 'POST', url, headers: outside })).statusCode).toBe(404);
});

it('lists the emails, newest first, and shows the newest', async () => {
  const { app, inbox } = await openRoom();
  const [first, second] = [mail('First <b>'), mail('Second')];
  await inbox.add(first);
  await inbox.add(second);
  const page = await ask(app, '/dev/inbox/');
  expect(page.body.indexOf('Second')).toBeLessThan(page.body.indexOf('First &lt;b&gt;'));
  expect(page.body).toContain(`src="/dev/inbox/${second.id}/html" loading="lazy" sandbox="allow-popups`);
  expect(page.body).not.toContain('First <b>');
});

it('shows an email’s text part and headers', async () => {
  const { app, inbox } = await openRoom();
  const one = mail('One');
  await inbox.add(one);
  expect((await ask(app, `/dev/inbox/?mail=${one.id}&view=text`)).body).toContain('>Hello &lt;Ada&gt;</pre>');
  expect((await ask(app, `/dev/inbox/?mail=${one.id}&view=headers`)).body).toContain('<dt>Auto-Submitted</dt>');
});

it('shows the HTML part in a sandbox, with links that open in a new tab', async () => {
  const { app, inbox } = await openRoom();
  const one = mail('One');
  await inbox.add(one);
  const response = await ask(app, `/dev/inbox/${one.id}/html`);
  expect(response.body).toContain('<base target="_blank">');
  const policy = String(response.headers['content-security-policy']);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain('sandbox allow-popups allow-popups-to-escape-sandbox');
  expect(policy).not.toMatch(/script-src|allow-scripts|allow-same-origin/);
});

it('has a page as strict as all others, without inline scripts or styles', async () => {
  const { app, inbox } = await openRoom();
  await inbox.add(mail('One'));
  const page = await ask(app, '/dev/inbox/');
  const policy = String(page.headers['content-security-policy']);
  expect(policy).toContain("script-src 'self'");
  expect(policy).toContain("require-trusted-types-for 'script'");
  expect(policy).not.toContain('unsafe');
  expect(page.body).not.toMatch(/<style|style="|<script>|onclick/);
  expect(page.headers['cache-control']).toBe('no-store');
});

it.each([
  ['/dev/inbox/?mail=019a0000-0000-7000-8000-000000000001', 'This email is gone'],
  ['/dev/inbox/019a0000-0000-7000-8000-000000000001/html', 'not_found'],
  ['/dev/inbox/..%2f..%2fsecret/html', 'not_found'],
])('%s is not found', async (url, says) => {
  const { app, inbox } = await openRoom();
  await inbox.add(mail('One'));
  const response = await ask(app, url);
  expect(response.statusCode).toBe(404);
  expect(response.body).toContain(says);
});

it.each([
  ['from another machine', { remoteAddress: '192.168.1.7', headers: { host: 'localhost:3000' } }],
  ['from another machine over IPv6', { remoteAddress: '2001:db8::1', headers: { host: 'localhost:3000' } }],
  ['through a proxy on this machine', { headers: { host: 'localhost:3000', 'x-forwarded-for': '203.0.113.9' } }],
  ['with a host name that was rebound to this machine', { headers: { host: 'evil.example' } }],
  ['with a host name that only resembles this machine', { headers: { host: '127.0.0.1.evil.example' } }],
  ['through a proxy that reveals only the address that it forwards to', { headers: { host: '127.0.0.1:3000' } }],
  ['through a proxy that identifies itself', { headers: { host: 'localhost:3000', via: '1.1 proxy' } }],
  ['through a content delivery network', { headers: { host: 'localhost:3000', 'cf-ray': '1' } }],
])('a request %s gets a 404', async (_, request) => {
  const { app, inbox } = await openRoom();
  await inbox.add(mail('One'));
  for (const url of ['/dev/inbox/', '/dev/inbox/state', '/dev/inbox/preview/', '/dev/gallery/']) {
    const response = await app.inject({ url, ...request });
    expect(response.statusCode).toBe(404);
    expect(response.body).not.toContain('One');
  }
});

it('does not exist if the service has a public address', async () => {
  const server = await openTestServer('sqlite', { PUBLIC_URL: 'https://door.example' });
  expect((await server.client().get('/dev/inbox/')).status).toBe(404);
});

const call = (code: string, at = '2026-11-21T12:00:00.000Z'): InboxCall => ({
  id: orderedId(),
  at,
  to: '+4915123456789',
  from: `+1 202 555 ${code}`,
  way: 'ring',
});

it('tells its page when anything has arrived since', async () => {
  const { app, inbox } = await openRoom();
  const state = async () => (await ask(app, '/dev/inbox/state')).body;
  const seen = new Set([await state()]);
  await inbox.add(mail('One'));
  expect((await ask(app, '/dev/inbox/')).body).toContain(`data-state="${await state()}"`);
  seen.add(await state());
  const waiting: InboxCall = { ...call('0199'), way: 'reverse' };
  for (const one of [waiting, { ...waiting, called: true }]) {
    await inbox.calls.add(one);
    seen.add(await state());
  }
  expect(seen.size).toBe(4);
});

it('shows the newest call on the phone, which rings for a new one, and lists the others', async () => {
  const { app, inbox } = await openRoom();
  const spoken = 'Ihr Code ist 2 2 2 2 <b>';
  expect((await ask(app, '/dev/inbox/')).body).toContain('Calls ring here.');
  await inbox.calls.add(call('1111'));
  await inbox.calls.add({ ...call('0100'), way: 'voice', spoken });
  const { body } = await ask(app, '/dev/inbox/');
  expect(body).toContain('<section class="handset" data-way="voice">');
  expect(body).toContain('<blockquote dir="auto">Ihr Code ist 2 2 2 2 &lt;b&gt;</blockquote>');
  expect(body.slice(body.indexOf('<ol aria-label="Earlier calls">'))).toContain('<b>1111</b>');
  await inbox.calls.add(call('3333', new Date().toISOString()));
  expect((await ask(app, '/dev/inbox/')).body).toContain('data-way="ring" data-ringing');
});

describe('the preview', () => {
  it('offers every email in every language', async () => {
    const { app } = await openRoom();
    const { body } = await ask(app, '/dev/inbox/preview/');
    for (const notice of noticeNames) expect(body).toContain(`notice=${notice}&amp;language=en`);
    for (const { code } of languages) expect(body).toContain(`notice=recovery&amp;language=${code}`);
    expect(body).toContain('src="/dev/inbox/preview/recovery/en/html?theme=light"');
    expect(body).not.toMatch(/<style|style="|<script/);
  });

  it.each(noticeNames)('shows %s in all languages, each in a sandbox', async (notice) => {
    const { app } = await openRoom();
    const { body } = await ask(app, `/dev/inbox/preview/?notice=${notice}&language=all`);
    expect(body.match(/<iframe [^>]*sandbox="allow-popups allow-popups-to-escape-sandbox"/g)).toHaveLength(
      languages.length,
    );
    const mailOf = await ask(app, `/dev/inbox/preview/${notice}/ar/html?theme=dark`);
    expect(mailOf.body).toContain('<html lang="ar" dir="rtl">');
    expect(mailOf.body).toContain('@media all');
    expect(mailOf.body).toContain('<meta name="color-scheme" content="dark">');
    expect(mailOf.headers['content-security-policy']).toContain('sandbox');
  });

  it('shows the text part', async () => {
    const { app } = await openRoom();
    const { body } = await ask(app, '/dev/inbox/preview/?notice=new_device&language=de&part=text');
    expect(body).toContain('<pre dir="auto" tabindex="0">Guten Tag, Ada Lovelace!');
  });

  it('replaces invalid choices by the defaults', async () => {
    const { app } = await openRoom();
    const page = await ask(app, '/dev/inbox/preview/?notice=__proto__&language=%3Cb%3E&theme=x&width[]=1');
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain('src="/dev/inbox/preview/recovery/en/html?theme=light"');
  });
});
