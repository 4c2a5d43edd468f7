import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { minutes, seconds } from '../../src/contract/durations.ts';
import { freePort } from '../../src/testing/free-port.ts';
import type { Stage } from '../fixtures/stage.ts';
import { judged, type Row } from '../table.ts';
import { apiCall, webSocket } from './browser.ts';
import { blockOf } from './document.ts';
import { headersSeen, openEchoApp } from './echo-app.ts';
import { requireInstalled } from './packages.ts';
import { openFolder, startProgram } from './program.ts';
import { holdsWithin, openProvider } from './provider.ts';

const folderOfModules = '/usr/lib/apache2/modules';
const modules = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'proxy', 'proxy_http', 'auth_openidc'];

/** What a client may send to pretend to be someone; CGI reads all of them as the same header. */
const forged = { oidc_claim_sub: 'admin', 'oidc-claim-sub': 'admin', 'oidc_claim-sub': 'admin' };

interface Site {
  readonly port: number;
  readonly app: number;
  readonly issuer: string;
  readonly client: { readonly id: string; readonly secret: string };
}

/** Apache with the settings of docs/integrate.md. */
async function startApache(stage: Stage, { port, app, issuer, client }: Site): Promise<void> {
  const [file = ''] = requireInstalled('apache2', join(folderOfModules, 'mod_auth_openidc.so'));
  const folder = openFolder(stage);
  const passphrase = join(folder, 'passphrase');
  writeFileSync(passphrase, 'a passphrase of thirty-two signs');
  const settings = blockOf('apache', {
    'https://account.example.com': issuer,
    'https://app.example.com': `http://localhost:${port}`,
    CLIENT_ID: client.id,
    CLIENT_SECRET: client.secret,
    '/etc/apache2/openid-passphrase': passphrase,
    '127.0.0.1:8080': `127.0.0.1:${app}`,
  });
  const config = [
    ...modules.map((name) => `LoadModule ${name}_module ${folderOfModules}/mod_${name}.so`),
    `ServerRoot ${folder}`,
    `DefaultRuntimeDir ${folder}`,
    `PidFile ${folder}/apache.pid`,
    'ErrorLog "|/bin/cat"',
    'User nobody',
    'Group nogroup',
    `ServerName localhost:${port}`,
    `Listen 127.0.0.1:${port}`,
    settings,
  ];
  writeFileSync(join(folder, 'apache.conf'), config.join('\n'));
  await startProgram(stage, { file, args: ['-f', join(folder, 'apache.conf'), '-DFOREGROUND'], listensOn: port });
}

async function play(stage: Stage): Promise<Row> {
  const [app, port] = [await openEchoApp(stage), await freePort()];
  const origin = `http://localhost:${port}`;
  const provider = await openProvider(stage, { addresses: { [origin]: `http://127.0.0.1:${port}` } });
  const redirectUri = `${origin}/redirect_uri`;
  const logout = ['--backchannel-logout', `${redirectUri}?logout=backchannel`];
  const client = await provider.addClient('--redirect', redirectUri, ...logout);
  await startApache(stage, { port, app: app.port, issuer: provider.issuer, client });

  const browser = provider.browse();
  const asked = await browser.visit(`${origin}/pages/7?q=1`);
  const account = await browser.signIn(provider.member.email);
  const entered = await browser.visit(`${origin}/pages/7?q=1`);
  const seen = headersSeen(entered.body);
  const api = await browser.send(`${origin}/api`, apiCall);
  const smuggled = headersSeen((await browser.send(`${origin}/`, { ...apiCall, ...forged })).body);

  const before = app.count();
  const stranger = provider.browse();
  const strange = [
    await stranger.send(`${origin}/api`, apiCall),
    await stranger.send(`${origin}/live`, webSocket),
    await stranger.send(`${origin}/api`, { ...apiCall, ...forged }),
  ];
  const outsider = provider.browse();
  await outsider.signIn(provider.outsider.email);
  const refused = await outsider.visit(`${origin}/`);
  const untouched = app.count() === before;

  await browser.signOut();
  const isOut = await holdsWithin(
    seconds(10),
    async () => (await browser.send(`${origin}/api`, apiCall)).status === 401,
  );
  return judged(
    {
      software: 'Apache with mod_auth_openidc',
      page: `${asked.status}, then ${entered.status}`,
      'API, WebSocket': String(api.status),
      'without a sign-in': strange.map(({ status }) => status).join(', '),
      'outside of the group': new URL(refused.url).pathname,
    },
    {
      'a visitor is asked to sign in': new URL(asked.url).origin === provider.issuer && asked.status === 200,
      'the application knows the person':
        entered.status === 200 && seen.oidc_claim_sub === account && seen.oidc_claim_groups === 'staff',
      'the person returns to the page': entered.url === `${origin}/pages/7?q=1`,
      'an API call passes': api.status === 200,
      'a stranger gets 401 from the API and for a WebSocket': strange.every(({ status }) => status === 401),
      'an account outside of the group is refused': new URL(refused.url).origin === provider.issuer,
      'refused requests never reach the application': untouched,
      'forged headers never reach the application':
        smuggled.oidc_claim_sub === account && !('oidc-claim-sub' in smuggled),
      'a sign-out ends access': isOut,
    },
  );
}

export const apacheScene = { name: 'apache', within: minutes(3), play };
