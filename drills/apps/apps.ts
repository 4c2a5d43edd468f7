import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { minutes } from '../../src/contract/units.ts';
import { type Drill, judged, type Row, type Stage } from '../drill.ts';
import { openFolder, requireInstalled, startProgram } from '../fixtures/programs.ts';
import { endsWithUs } from '../fixtures/service.ts';
import { guardScenes } from './guard.ts';
import { openProvider } from './provider.ts';

interface Agent {
  readonly issuer: string;
  readonly client: { readonly id: string; readonly secret: string };
}

/** The account `name` of oidc-agent, for which it requests a device code. */
interface DeviceSignIn {
  readonly userCode: string;
  /** Whether the agent got its tokens. */
  readonly finished: Promise<boolean>;
}

/** oidc-agent, which keeps a refresh token for programs of the command line. */
async function startAgent(stage: Stage, { issuer, client }: Agent) {
  const [agent = '', generate = '', token = ''] = requireInstalled('oidc-agent', 'oidc-gen', 'oidc-token');
  const folder = openFolder(stage);
  const settings = join(folder, '.config', 'oidc-agent');
  mkdirSync(settings, { recursive: true });
  const socket = join(folder, 'socket');
  const env = { HOME: folder, OIDC_CONFIG_DIR: settings, OIDC_SOCK: socket, OIDC_ENCRYPTION_PW: 'a passphrase' };
  await startProgram(stage, {
    file: agent,
    args: ['-d', '-a', socket, '--no-autoreauthenticate'],
    listensOn: socket,
    env,
  });

  async function signIn(name: string): Promise<DeviceSignIn> {
    const known = [`--iss=${issuer}`, `--client-id=${client.id}`, `--client-secret=${client.secret}`];
    const mode = ['--flow=device', '--no-url-call', '--pw-env', '--prompt=none', '--confirm-default'];
    const args = [name, '-m', ...known, '--scope=openid profile offline_access', ...mode];
    const child = endsWithUs(spawn(generate, args, { env: { ...process.env, ...env } }));
    stage.atEnd(() => child.kill('SIGKILL'));
    const finished = once(child, 'exit').then(([code]) => code === 0);
    let output = '';
    const shown = new Promise<string>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (text: Buffer) => {
          output += text;
          const [, userCode] = /enter the code: (\S+)\s/.exec(output) ?? [];
          if (userCode) resolve(userCode);
        });
      }
      child.once('exit', () => reject(new Error(`oidc-gen shows no code: ${output}`)));
    });
    return { userCode: await shown, finished };
  }

  /** An access token; undefined if the agent gets none. `fresh` makes it use its refresh token. */
  const accessToken = ({ fresh }: { fresh: boolean }): Promise<string | undefined> =>
    promisify(execFile)(token, [...(fresh ? ['--force-new'] : []), 'mine'], { env: { ...process.env, ...env } }).then(
      ({ stdout }) => stdout.trim(),
      () => undefined,
    );

  return { signIn, accessToken };
}

async function play(stage: Stage): Promise<Row> {
  const provider = await openProvider(stage);
  const client = await provider.addClient('--device');
  const { signIn, accessToken } = await startAgent(stage, { issuer: provider.issuer, client });
  const [own, other] = [provider.browse(), provider.browse()];
  const account = await own.signIn(provider.member.email);
  await other.signIn(provider.outsider.email);
  const [browser, outsider] = [own.client, other.client];

  const { userCode, finished } = await signIn('mine');
  const named = await browser.post('/connect/device', { user_code: userCode });
  const refused = await outsider.post('/connect/device/decision', { user_code: userCode, allow: true });
  await browser.post('/connect/device/decision', { user_code: userCode, allow: true });
  const isSignedIn = await finished;
  const whoIs = async (token: string | undefined): Promise<string | undefined> => {
    const response = await fetch(`${provider.issuer}/oidc/me`, { headers: { authorization: `Bearer ${token}` } });
    return response.ok ? ((await response.json()) as { sub: string }).sub : undefined;
  };
  const first = await accessToken({ fresh: false });
  const second = await accessToken({ fresh: true });
  const seen = [await whoIs(first), await whoIs(second)];

  const disconnected = await browser.send('DELETE', `/account/apps/${client.id}`, {});
  const left = [await whoIs(second), await accessToken({ fresh: true })];
  return judged(
    {
      software: 'oidc-agent',
      page: String(named.status),
      'outside of the group': String(refused.status),
    },
    {
      'the page names the application': named.body.app === 'App',
      'the agent gets its tokens': isSignedIn,
      'the application knows the person': seen[0] === account,
      'the agent refreshes its token': second !== undefined && second !== first && seen[1] === account,
      'an account outside of the group is refused': refused.status >= 400 && refused.status < 500,
      'a disconnection ends access': disconnected.status === 204 && left.every((one) => one === undefined),
    },
  );
}

export const drill: Drill = {
  promise: 'Third-party software signs people in and out through the provider and the guard, and admits no one else.',
  maxConcurrent: 2,
  scenes: [...guardScenes, { name: 'oidc-agent', within: minutes(3), play }],
};
