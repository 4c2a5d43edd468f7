import { execFile } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { minutes } from '../../src/contract/durations.ts';
import { freePort } from '../../src/testing/free-port.ts';
import { project } from '../fixtures/environment.ts';
import { NotInstalled } from '../fixtures/installed.ts';
import type { Stage } from '../fixtures/stage.ts';
import { judged, type Row } from '../table.ts';
import { openFolder, startProgram } from './program.ts';
import { openProvider } from './provider.ts';

interface NpmApp {
  /** The example without its extension; also the name of the scene. */
  readonly name: string;
  readonly callback: string;
  /** Exact versions, such as `express@5.3.0`. */
  readonly packages: readonly string[];
  /** The address that begins a sign-in, and whether a button on it does. */
  begin(browser: Browser, origin: string): Promise<string>;
}

type Browser = ReturnType<Awaited<ReturnType<typeof openProvider>>['browse']>;

/** Installs packages from npm into a folder of their own, so that the project does not depend on them. */
async function install(folder: string, packages: readonly string[]): Promise<void> {
  const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', ...packages];
  await promisify(execFile)('npm', args, { timeout: minutes(3) }).catch((error: Error) => {
    throw new NotInstalled(`npm cannot install ${packages.join(' ')}: ${error.message}`);
  });
}

/** An example of docs/integrate.md whose library comes from npm. */
const npmScene = ({ name, callback, packages, begin }: NpmApp) => ({
  name,
  within: minutes(6),
  async play(stage: Stage): Promise<Row> {
    const folder = openFolder(stage);
    await install(folder, packages);
    copyFileSync(join(project, 'examples', `${name}.mjs`), join(folder, `${name}.mjs`));
    const port = await freePort();
    const origin = `http://localhost:${port}`;
    const provider = await openProvider(stage, { addresses: { [origin]: `http://127.0.0.1:${port}` } });
    const client = await provider.addClient('--redirect', origin + callback, '--post-logout', `${origin}/`);
    const secret = 'a secret of the application that seals its sessions';
    await startProgram(stage, {
      file: process.execPath,
      args: [join(folder, `${name}.mjs`)],
      listensOn: port,
      env: {
        PORT: String(port),
        ISSUER: provider.issuer,
        CLIENT_ID: client.id,
        CLIENT_SECRET: client.secret,
        AUTH_SECRET: secret,
        SESSION_SECRET: secret,
      },
    });

    const browser = provider.browse();
    const asked = await browser.visit(await begin(browser, origin));
    const account = await browser.signIn(provider.member.email);
    const entered = await browser.visit(await begin(browser, origin));
    const home = await browser.visit(`${origin}/`);

    const stolen = provider.browse();
    await stolen.signIn(provider.member.email);
    const request = new URL(await begin(stolen, origin));
    const code = await stolen.send(request.href);
    const thief = provider.browse();
    const replayed = await thief.send(new URL(code.headers.location ?? '', request).href);
    const isThief = (await thief.send(`${origin}/`)).status === 200;

    const outsider = provider.browse();
    await outsider.signIn(provider.outsider.email);
    const refused = await outsider.visit(await begin(outsider, origin));

    const left = await browser.send(locationOf(await browser.send(`${origin}/sign-out`)));
    const isOut = (await browser.client.get('/account')).status === 401;
    const isForgotten = (await browser.send(`${origin}/`)).status !== 200;
    return judged(
      {
        software: packages[0] ?? name,
        page: `${asked.status}, then ${entered.status}`,
        'without a sign-in': String(replayed.status),
        'outside of the group': new URL(refused.url).pathname,
      },
      {
        'a visitor is asked to sign in': new URL(asked.url).origin === provider.issuer && asked.status === 200,
        'the request has a challenge, a state and a nonce': ['code_challenge', 'state', 'nonce'].every((parameter) =>
          request.searchParams.has(parameter),
        ),
        'the application knows the person': home.status === 200 && home.body === `Hello, Anna Berg (${account})\n`,
        'another browser cannot use the code': !isThief,
        'an account outside of the group is refused': new URL(refused.url).origin === provider.issuer,
        'a sign-out of the application ends both sessions': isOut && isForgotten,
        'a sign-out returns to the application': locationOf(left) === `${origin}/`,
      },
    );
  },
});

/** Where a response of the application leads. */
const locationOf = ({ headers, url }: { headers: { location?: string | undefined }; url: string }): string =>
  new URL(headers.location ?? '', url).href;

export const authJsScene = npmScene({
  name: 'auth-js',
  callback: '/auth/callback/vestibule',
  packages: ['@auth/core@0.41.3', '@auth/express@0.12.3', 'express@5.3.0'],
  async begin(browser, origin) {
    const { body } = await browser.send(`${origin}/auth/csrf`);
    const form = new URLSearchParams({ csrfToken: JSON.parse(body).csrfToken, callbackUrl: `${origin}/` });
    return locationOf(await browser.send(`${origin}/auth/signin/vestibule`, undefined, form));
  },
});

export const passportScene = npmScene({
  name: 'passport',
  callback: '/signed-in',
  packages: ['passport-openidconnect@0.1.2', 'passport@0.7.0', 'express-session@1.19.0', 'express@5.3.0'],
  begin: async (browser, origin) => locationOf(await browser.send(`${origin}/sign-in`)),
});
