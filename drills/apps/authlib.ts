import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { minutes, seconds } from '../../src/contract/durations.ts';
import { freePort } from '../../src/testing/free-port.ts';
import type { Stage } from '../fixtures/stage.ts';
import { judged, type Row } from '../table.ts';
import { apiCall } from './browser.ts';
import { blockOf } from './document.ts';
import { requireInstalled } from './packages.ts';
import { openFolder, startProgram } from './program.ts';
import { holdsWithin, openProvider } from './provider.ts';

/** Debian's own Python, which finds Debian's packages. */
const python = '/usr/bin/python3';

async function play(stage: Stage): Promise<Row> {
  requireInstalled(python, '/usr/lib/python3/dist-packages/authlib', '/usr/lib/python3/dist-packages/requests');
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const provider = await openProvider(stage, { addresses: { [origin]: `http://127.0.0.1:${port}` } });
  const logout = ['--backchannel-logout', `${origin}/logout`];
  const options = ['--claims-in-id-token', '--resource', 'https://api.example.com'];
  const client = await provider.addClient('--redirect', `${origin}/callback`, ...logout, ...options);
  const folder = openFolder(stage);
  writeFileSync(join(folder, 'verify.py'), blockOf('python', { 'https://account.example.com': provider.issuer }));
  const env = {
    PYTHONPATH: folder,
    PYTHONDONTWRITEBYTECODE: '1',
    // Authlib refuses plain http otherwise.
    AUTHLIB_INSECURE_TRANSPORT: '1',
    PORT: String(port),
    ISSUER: provider.issuer,
    CLIENT_ID: client.id,
    CLIENT_SECRET: client.secret,
  };
  await startProgram(stage, {
    file: python,
    args: [join(import.meta.dirname, 'authlib-app.py')],
    listensOn: port,
    env,
  });

  const browser = provider.browse();
  const asked = await browser.visit(`${origin}/`);
  const account = await browser.signIn(provider.member.email);
  const entered = await browser.visit(`${origin}/`);
  const { claims, access_token: token } = JSON.parse(entered.status === 200 ? entered.body : '{}');
  const call = (authorization: string) => browser.send(`${origin}/api`, { ...apiCall, authorization });
  const api = await call(`Bearer ${token}`);
  const [head, , signature] = String(token).split('.');
  const claimed = Buffer.from(JSON.stringify({ sub: 'admin', aud: 'https://api.example.com' })).toString('base64url');
  const forged = [await call(`Bearer ${head}.${claimed}.${signature}`), await call(`Bearer ${browser.client.token}`)];

  const stranger = await provider.browse().send(`${origin}/`, apiCall);
  const outsider = provider.browse();
  await outsider.signIn(provider.outsider.email);
  const refused = await outsider.visit(`${origin}/`);

  await browser.signOut();
  const isOut = await holdsWithin(seconds(10), async () => (await browser.send(`${origin}/`, apiCall)).status === 401);
  return judged(
    {
      software: 'Authlib',
      page: `${asked.status}, then ${entered.status}`,
      'API, WebSocket': String(api.status),
      'without a sign-in': [stranger, ...forged].map(({ status }) => status).join(', '),
      'outside of the group': new URL(refused.url).pathname,
    },
    {
      'a visitor is asked to sign in': new URL(asked.url).origin === provider.issuer && asked.status === 200,
      'the application knows the person': claims?.sub === account && claims?.groups?.join() === 'staff',
      'the API verifies the access token': api.status === 200 && JSON.parse(api.body).account === account,
      'the API refuses forged tokens and those of the service itself': forged.every(({ status }) => status === 401),
      'a stranger gets 401': stranger.status === 401,
      'an account outside of the group is refused': new URL(refused.url).origin === provider.issuer,
      'a sign-out ends access': isOut,
    },
  );
}

export const authlibScene = { name: 'authlib', within: minutes(3), play };
