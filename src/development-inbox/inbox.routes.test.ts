import '../server/wings.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify, { type FastifyInstance } from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
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
  headers: { 'Auto-Submitted': 'auto-generated' },
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
  const { body } = await ask(app, `/dev/inbox/?mail=${one.id}&view=text`);
  expect(body).toContain('>Hello &lt;Ada&gt;</pre>');
  expect(body).toContain('Auto-Submitted: auto-generated');
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

const call = (code: string): InboxCall => ({
  id: orderedId(),
  at: '2026-11-21T12:00:00.000Z',
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

it('shows calls, newest first, with what they say', async () => {
  const { app, inbox } = await openRoom();
  expect((await ask(app, '/dev/inbox/')).body).toContain('Calls ring here.');
  await inbox.calls.add(call('1111'));
  await inbox.calls.add({ ...call('0100'), way: 'voice', spoken: 'Ihr Code ist 2 2 2 2 <b>' });
  const { body } = await ask(app, '/dev/inbox/');
  expect(body).toContain('<blockquote dir="auto">Ihr Code ist 2 2 2 2 &lt;b&gt;</blockquote>');
  expect(body.indexOf('<b>0100</b>')).toBeLessThan(body.indexOf('<b>1111</b>'));
});

it('previews every email in every language, in a sandbox', async () => {
  const { app } = await openRoom();
  const { body } = await ask(app, '/dev/inbox/preview/');
  for (const notice of noticeNames)
    for (const { code } of languages) expect(body).toContain(`href="/dev/inbox/preview/${notice}/${code}/"`);
  for (const notice of noticeNames) {
    const { statusCode, headers, body: html } = await ask(app, `/dev/inbox/preview/${notice}/ar/`);
    expect([notice, statusCode]).toEqual([notice, 200]);
    expect(html).toContain('<html lang="ar" dir="rtl">');
    expect(headers['content-security-policy']).toContain('sandbox');
  }
  for (const unknown of ['__proto__/en/', 'recovery/xx/'])
    expect((await ask(app, `/dev/inbox/preview/${unknown}`)).statusCode).toBe(404);
});
