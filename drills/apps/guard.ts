import { minutes, seconds } from '../../src/contract/durations.ts';
import { freePort } from '../../src/testing/free-port.ts';
import type { Stage } from '../fixtures/stage.ts';
import { judged, type Row } from '../table.ts';
import { apiCall, webSocket } from './browser.ts';
import { headersSeen, openEchoApp } from './echo-app.ts';
import { holdsWithin, openProvider } from './provider.ts';
import type { GuardedSite } from './proxies.ts';

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

interface ProxyScene {
  readonly name: string;
  /** Starts a reverse proxy with the block of docs/integrate.md. */
  start(stage: Stage, site: GuardedSite): Promise<void>;
}

/** An application without a login, behind a third-party reverse proxy. */
export const guardScene = ({ name, start }: ProxyScene) => ({
  name,
  within: minutes(3),
  async play(stage: Stage): Promise<Row> {
    const [app, port] = [await openEchoApp(stage), await freePort()];
    const addresses = { [wiki]: `https://127.0.0.1:${port}` };
    const provider = await openProvider(stage, { publicUrl: 'https://account.example.com', addresses });
    const { id: client } = await provider.addClient('--redirect', `${wiki}/.vestibule/callback`);
    await start(stage, { port, client, service: provider.port, app: app.port });

    const browser = provider.browse();
    const asked = await browser.visit(`${wiki}/pages/7?q=1`, undefined);
    const account = await browser.signIn(provider.member.email);
    const back = new URL(asked.url).searchParams.get('return_to') ?? '/';
    const entered = await browser.visit(provider.issuer + back);
    const seen = headersSeen(entered.body);
    const [api, socket] = [await browser.send(`${wiki}/api`, apiCall), await browser.send(`${wiki}/live`, webSocket)];
    const smuggled = headersSeen((await browser.send(`${wiki}/`, { ...apiCall, ...forged })).body);

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
        'the person returns to the page': entered.url === `${wiki}/pages/7?q=1`,
        'an API call and a WebSocket pass': api.status === 200 && socket.status === 101,
        'a stranger gets 401 from the API and for a WebSocket': strange.every(({ status }) => status === 401),
        'an account outside of the group is refused': new URL(refused.url).pathname === '/no-access/',
        'refused requests never reach the application': untouched,
        'forged headers never reach the application':
          smuggled['x-account-id'] === account && smuggled['x-account-groups'] === 'staff' && isOnlyTheGuards(smuggled),
        'a sign-out ends access': isOut && new URL(again.url).origin === provider.issuer,
      },
    );
  },
});
