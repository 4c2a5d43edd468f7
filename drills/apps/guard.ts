import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { minutes, seconds } from '../../src/contract/units.ts';
import { addToGroup } from '../../src/store/applications/account-groups.ts';
import { openStore } from '../../src/store/database.ts';
import { freePort } from '../../src/testing/free-port.ts';
import { testCertificate } from '../../src/testing/mail/certificates.ts';
import { judged, type Row, type Stage } from '../drill.ts';
import {
  documentedBlock,
  openFolder,
  requireInstalled,
  startNginx,
  startProgram,
  withoutExamples,
} from '../fixtures/programs.ts';
import type { DatabaseLocation } from '../fixtures/service.ts';
import { apiCall, holdsWithin, openProvider, webSocket } from './provider.ts';

const wiki = 'https://wiki.example.com';
/** docs/integrate.md promises three; the rest is for a busy machine. */
const noticedWithin = seconds(10);

/** What a client may send to pretend to be someone: CGI, WSGI and PHP read all of these as the same header. */
const forged = Object.fromEntries(
  ['id', 'groups'].flatMap((field) =>
    [`x-account-${field}`, `x_account_${field}`, `x-account_${field}`, `x_account-${field}`, `x.account.${field}`].map(
      (name) => [name, 'admin'],
    ),
  ),
);
/** Whether each header that such an application reads as the identity has one of the names that the guard sets. */
const isOnlyTheGuards = (headers: object): boolean =>
  Object.keys(headers)
    .filter((name) => /^x[^a-z\d]account/.test(name))
    .every((name) => /^x-account-(?:id|email|name|groups)$/.test(name));

/** An application without a login: it responds with the headers that reach it, and accepts WebSockets. */
async function openEchoApp(stage: Stage): Promise<{ readonly port: number; count(): number }> {
  let requests = 0;
  const server = createServer({ maxHeaderSize: 64 * 1024 }, (request, response) => {
    requests += 1;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(request.headers));
  });
  server.on('upgrade', (_, socket) => {
    requests += 1;
    socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stage.atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, count: () => requests };
}

/** The headers that the application saw; empty if it saw none. */
function headersSeen(body: string): IncomingHttpHeaders {
  try {
    return JSON.parse(body) as IncomingHttpHeaders;
  } catch {
    return {};
  }
}

/** 20 kB, as of an application with many cookies. */
const bulkyHeaders = Object.fromEntries(Array.from({ length: 5 }, (_, at) => [`x-bulky-${at}`, 'x'.repeat(4000)]));

interface GuardedSite {
  /** The port of the reverse proxy. */
  readonly port: number;
  /** The id of the application's client. */
  readonly client: string;
  /** The port of the service. */
  readonly service: number;
  /** The port of the application. */
  readonly app: number;
}

/** Writes the certificate of the application's host. */
function writeCertificate(folder: string) {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  writeFileSync(key, testCertificate.key);
  writeFileSync(certificate, testCertificate.cert);
  return { key, certificate };
}

const examplesIn = ({ client, service, app }: GuardedSite) => ({
  CLIENT_ID: client,
  '10.0.0.5:3000': `127.0.0.1:${service}`,
  '127.0.0.1:8080': `127.0.0.1:${app}`,
});

async function startGuardedNginx(stage: Stage, site: GuardedSite): Promise<void> {
  const { key, certificate } = writeCertificate(openFolder(stage));
  const block = withoutExamples(documentedBlock('nginx', 'integrate.md'), {
    ...examplesIn(site),
    'listen 443 ssl;': `listen 127.0.0.1:${site.port} ssl; ssl_certificate ${certificate}; ssl_certificate_key ${key};`,
  });
  await startNginx(stage, { block, port: site.port });
}

async function startCaddy(stage: Stage, site: GuardedSite): Promise<void> {
  const [file = ''] = requireInstalled('caddy');
  const folder = openFolder(stage);
  const { key, certificate } = writeCertificate(folder);
  const block = withoutExamples(documentedBlock('caddyfile', 'integrate.md'), {
    ...examplesIn(site),
    'wiki.example.com {': `https://wiki.example.com:${site.port} {\n  bind 127.0.0.1\n  tls ${certificate} ${key}`,
  });
  writeFileSync(join(folder, 'Caddyfile'), `{\n  admin off\n  auto_https off\n}\n${block}`);
  const args = ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')];
  await startProgram(stage, { file, args, listensOn: site.port, env: { HOME: folder } });
}

/** The most that an account can have: 6.5 kB in one header. */
const manyGroups = ['staff', ...Array.from({ length: 99 }, (_, at) => `g${String(at).padEnd(63, '-x')}`)];

async function joinGroups({ dataDir }: DatabaseLocation, accountId: string): Promise<void> {
  const store = openStore({ dataDir, databaseUrl: undefined });
  for (const group of manyGroups) await addToGroup(store, { accountId, group, at: 0 });
  await store.destroy();
}

/** What a visitor may name in `Connection`, so that a proxy removes the identity on its way to the application. */
const hostileConnections = [
  'close, X-Account-Id, X-Account-Groups',
  'keep-alive, x-account-id',
  'Upgrade, X-Account-Id',
];

/** An application without a login, behind a proxy with the block of docs/integrate.md. */
const guardScene = (name: string, startProxy: typeof startCaddy) => ({
  name,
  within: minutes(3),
  async play(stage: Stage): Promise<Row> {
    const [app, port] = [await openEchoApp(stage), await freePort()];
    const addresses = { [wiki]: `https://127.0.0.1:${port}` };
    const provider = await openProvider(stage, { publicUrl: 'https://account.example.com', addresses });
    const redirect = `${wiki}/.vestibule/callback`;
    const { id: client } = await provider.addClient('--redirect', redirect, '--groups', manyGroups.join(','));
    await startProxy(stage, { port, client, service: provider.port, app: app.port });

    const browser = provider.browse();
    // As long as nginx accepts with the sizes of its block.
    const place = `${wiki}/pages/7?q=${randomBytes(6000).toString('base64url')}`;
    const asked = await browser.visit(place);
    const account = await browser.signIn(provider.member.email);
    await joinGroups(provider.database, account);
    const back = new URL(asked.url).searchParams.get('return_to') ?? '/';
    const entered = await browser.visit(provider.issuer + back);
    const seen = headersSeen(entered.body);
    const [api, socket] = [await browser.send(`${wiki}/api`, apiCall), await browser.send(`${wiki}/live`, webSocket)];
    const smuggled = headersSeen((await browser.send(`${wiki}/`, { ...apiCall, ...forged })).body);

    const stripped: boolean[] = [];
    for (const connection of hostileConnections) {
      const { body } = await browser.send(`${wiki}/`, { ...apiCall, connection });
      const { 'x-account-id': id, connection: passedOn = '' } = headersSeen(body);
      stripped.push(id !== account || /account/i.test(passedOn));
    }
    const bulky = await browser.send(`${wiki}/api`, { ...apiCall, ...bulkyHeaders });
    const policies = Object.keys((await browser.send(`${wiki}/.vestibule/unknown`)).headers).filter((header) =>
      /^(?:strict-transport|content-security|permissions-policy|x-frame)/.test(header),
    );

    const before = app.count();
    const stranger = provider.browse();
    const strange = [
      await stranger.send(`${wiki}/api`, apiCall),
      await stranger.send(`${wiki}/live`, webSocket),
      await stranger.send(`${wiki}/api`, { ...apiCall, ...forged }),
    ];
    const outsider = provider.browse();
    await outsider.signIn(provider.outsider.email);
    const refused = await outsider.visit(`${wiki}/`);
    const untouched = app.count() === before;

    await browser.signOut();
    const isOut = await holdsWithin(noticedWithin, async () => {
      const { status } = await browser.send(`${wiki}/api`, apiCall);
      return status === 401;
    });
    const again = await browser.visit(`${wiki}/`);
    return judged(
      {
        software: name,
        page: `${asked.status}, then ${entered.status}`,
        'API, WebSocket': `${api.status}, ${socket.status}`,
        'without a sign-in': strange.map(({ status }) => status).join(', '),
        'outside of the group': new URL(refused.url).pathname,
      },
      {
        'a visitor is asked to sign in': new URL(asked.url).origin === provider.issuer && asked.status === 200,
        'the application knows the person': entered.status === 200 && seen['x-account-id'] === account,
        'the person returns to the page': entered.url === place,
        'no header in Connection hides the person': !stripped.includes(true),
        'a request with many cookies passes': bulky.status === 200,
        'the application’s host gets no policy of ours': policies.length === 0,
        'an API call and a WebSocket pass': api.status === 200 && socket.status === 101,
        'a stranger gets 401 from the API and for a WebSocket': strange.every(({ status }) => status === 401),
        'an account outside of the group is refused': new URL(refused.url).pathname === '/no-access/',
        'refused requests never reach the application': untouched,
        'forged headers never reach the application':
          smuggled['x-account-id'] === account &&
          smuggled['x-account-groups'] === manyGroups.sort().join(',') &&
          isOnlyTheGuards(smuggled),
        'a sign-out ends access': isOut && new URL(again.url).origin === provider.issuer,
      },
    );
  },
});

export const guardScenes = [guardScene('nginx', startGuardedNginx), guardScene('Caddy', startCaddy)];
