import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { mailgunPost, post, relaySettings } from '../../testing/mail/relays.ts';
import { form, password } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

/** Just below Node's limit for the head of a request (16 KiB). */
const length = 15_000;
const of = (part: string) => part.repeat(Math.floor(length / part.length));

/** Texts that cost quadratic time in patterns with nested or adjacent repetition. */
const worst = [
  ...[' ', '\t', ',', ' ,', ';', '; ', '; q=', '=', '"', 'a', 'a=', 'a-', '.', '1.', ':', '%', '/', '*'].map(of),
  `a${of(' ')}b`,
  `a;${of(' ')}q`,
  `"${of('\\"')}`,
  `bytes=${of('0-')}`,
  `W/"${of(' ')}`,
  `Bearer ${of('a.')}`,
  `multipart/form-data; boundary=${of(' ')}`,
];

/** The same for email addresses, names, numbers and codes. */
const worstFields = [
  ...['@', '+', '00', '1', '٣', '٩', '\u200b', 'ﷺ', 'e\u0301'].map(of),
  `a@${of('a.')}`,
  `a@${of('a-')}`,
  `a@${of('1.')}1`,
  `${of('a.')}@example.com`,
  `a@${of('ä')}.example`,
  `a${of('\u0000')}b`,
  `+49${of(' 1')}`,
  `x${of(' ext. ')}1`,
];

const headers = [
  'Accept',
  'Accept-Encoding',
  'Accept-Language',
  'Authorization',
  'Content-Type',
  'Cookie',
  'Forwarded',
  'If-Modified-Since',
  'If-None-Match',
  'Origin',
  'Range',
  'Sec-Fetch-Site',
  'User-Agent',
  'X-CSRF-Token',
  'X-Forwarded-For',
];

/** Sends a head unchanged, as no client would, and reads the whole response. */
function send(url: string, head: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let response = '';
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(`${head.join('\r\n')}\r\n\r\n`));
    socket.on('data', (chunk) => {
      response += chunk.toString('latin1');
    });
    socket.on('close', () => resolve(response));
    socket.on('error', reject);
  });
}

/** Processor time of this process, which includes the service, in milliseconds. */
const spent = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** The lowest cost of up to ten runs, in milliseconds: other work in this process hardly disturbs all of them. */
async function costOf(work: () => Promise<unknown>): Promise<number> {
  const costs: number[] = [];
  for (let time = 0; time < 10; time += 1) {
    const before = spent();
    await work();
    costs.push(spent() - before);
    if (spent() - before < affordable) break;
  }
  return Math.min(...costs);
}

/** Milliseconds; a text that costs quadratic time takes 100 or more. */
const affordable = 40;

const dear = async (texts: readonly string[], send: (text: string) => Promise<unknown>) => {
  const found: string[] = [];
  for (const text of texts) {
    const cost = await costOf(() => send(text));
    if (cost > affordable) found.push(`${JSON.stringify(text.slice(0, 20))}… costs ${Math.round(cost)} ms`);
  }
  return found;
};

describe('the cost of a stranger’s text grows only with its length', async () => {
  const opened = await openTestServer('sqlite', {
    PHONE_CONFIRMATION: 'required',
    PHONE_CONFIRMATION_BY_MAIL: 'on',
    BOUNCE_MAILGUN_KEY: relaySettings.BOUNCE_MAILGUN_KEY,
  });

  test.each(headers)('the header %s', async (name) => {
    const { url } = opened;
    const asset = /\/assets\/entry-[\w-]+\.js/.exec((await fetch(`${url}/`).then((page) => page.text())) ?? '')?.[0];
    for (const request of ['GET /', `GET ${asset}`, 'POST /auth/login']) {
      const ask = async (value: string) => {
        const head = [`${request} HTTP/1.1`, 'Host: door.example', `${name}: ${value}`, 'Connection: close'];
        expect(await send(url, head)).toMatch(/^HTTP\/1\.1 [2345]/);
      };
      expect(await dear(worst, ask)).toEqual([]);
    }
  });

  test.each([
    ['/auth/register', form({ organization: '', inn: '', promo_code: '', phone_confirmation: '', db_type: '' })],
    ['/auth/reset-password', { email: 'a@example.com', hash: '', password, password_repeat: password }],
    ['/auth/phone/confirm', { call: '', digits: '' }],
  ])('each field of %s', async (path, body) => {
    const browser = opened.client();
    for (const field of Object.keys(body)) {
      const ask = (text: string) => browser.post(path, { ...body, [field]: text });
      expect(await dear([...worst, ...worstFields], ask), field).toEqual([]);
    }
  });

  test('the server’s text in a bounce', async () => {
    const ask = async (message: string) => {
      const event = { event: 'failed', severity: 'temporary', 'delivery-status': { message } };
      const report = mailgunPost(event, { email: 'a@example.com' });
      // A text that fills more than Mailgun's 64 KiB is refused before it is read.
      expect(await post(opened, 'mailgun', report)).toBe(report.body.length > 64 * 1024 ? 413 : 204);
    };
    expect(await dear([...worst, ...worstFields], ask)).toEqual([]);
  });
});
