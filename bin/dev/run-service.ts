import { spawn } from 'node:child_process';
import type { LanguageCode } from '../../src/contract/languages.ts';
import type { SiteSettings } from '../../src/contract/settings.ts';
import { inProject, pinnedNode, root } from '../steps/places.mjs';

/** The service in a child process, which is restarted when its code changes. */
export interface RunningService {
  /** The port that it listens on, once it has started. Rejects with its error output if it ended instead. */
  ready(): Promise<number>;
  /** Makes it reload the texts of emails and calls. */
  forgetTexts(): void;
  restart(): void;
  stop(): Promise<void>;
}

/** The message to the service's process after the compiled texts have changed. */
export type Heard = 'texts';

const program = inProject('bin', 'dev', 'service.ts');
/** The developer's own: Vite sets `NODE_ENV` in this process. */
const env = { ...process.env, NODE_COMPILE_CACHE: inProject('node_modules', '.cache', 'compiled') };
/** Milliseconds within which an editor saves all changed files. */
const saving = 30;

/** Starts the service. `inspect`: Node's debugger options. */
export function runService(inspect: readonly string[]): RunningService {
  let timer: NodeJS.Timeout | undefined;
  let running = start(inspect);
  let turn: Promise<unknown> = Promise.resolve();
  let ready = running.ready;

  return {
    ready: () => ready,
    forgetTexts: () => running.send('texts'),
    restart() {
      clearTimeout(timer);
      timer = setTimeout(() => {
        turn = turn.then(async () => {
          await running.stop();
          running = start(inspect);
        });
        ready = turn.then(() => running.ready);
        ready.catch(() => undefined);
      }, saving);
    },
    async stop() {
      clearTimeout(timer);
      await turn;
      await running.stop();
    },
  };
}

/** Milliseconds until a stopping service is killed. */
const patience = 3000;

function start(inspect: readonly string[]) {
  const stdio = ['ignore', 'inherit', 'pipe', 'ipc'] as const;
  const child = spawn(pinnedNode, [...inspect, program], { cwd: root, env, stdio: [...stdio] });
  let complaint = '';
  child.stderr?.on('data', (text: Buffer) => {
    process.stderr.write(text);
    complaint = (complaint + text).slice(-10_000);
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const ready = new Promise<number>((resolve, reject) => {
    child.once('message', (port: number) => resolve(port));
    void ended.then(() => reject(new Error(complaint.trim() || 'The service exited without an error message.')));
  });
  ready.catch(() => undefined);
  return {
    ready,
    send(news: Heard) {
      // A process that has ended needs no message.
      if (child.connected) child.send(news, () => undefined);
    },
    async stop() {
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), patience);
      await ended;
      clearTimeout(late);
    },
  };
}

/** Distinguishes a render request from a page or document that is sent unchanged. */
export const rendered = 'from source';

/** The service's response instead of a page: which page to render. `rendered` must be the first field. */
export interface RenderRequest {
  readonly rendered: typeof rendered;
  readonly part: 'html' | 'payload';
  readonly page: string;
  readonly language: LanguageCode;
  readonly settings: SiteSettings;
  /** The placeholder for the request's id. */
  readonly reference: string;
}
