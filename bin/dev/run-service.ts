import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { inProject, pinnedNode, root } from '../steps/places.mjs';

/** The service in a process of its own, which is replaced when its code changes. */
export interface RunningService {
  /** The port that it listens on; waits for a start that is under way. Rejects with what it said when it ended instead. */
  ready(): Promise<number>;
  /** Whether the service has loaded a file. */
  uses(file: string): boolean;
  /** Has it read the texts of emails and calls again before it writes the next. */
  forgetTexts(): void;
  restart(): void;
  stop(): Promise<void>;
}

/** What the service's process hears when the compiled texts have changed. */
export type Heard = 'texts';

/** What the service's process tells, one at a time. */
export type ServiceMessage = { readonly loaded: string } | { readonly listening: number };

const program = inProject('bin', 'dev', 'service.ts');
/** Milliseconds in which an editor has written all that it saves at once. */
const saving = 30;

/** Starts the service. `inspect`: Node's own options for its debugger. */
export function runService(inspect: readonly string[]): RunningService {
  const loaded = new Set([program]);
  let timer: NodeJS.Timeout | undefined;
  let running = start(inspect, loaded);
  let turn: Promise<unknown> = Promise.resolve();
  let ready = running.ready;

  return {
    ready: () => ready,
    uses: (file) => loaded.has(file),
    forgetTexts: () => running.send('texts'),
    restart() {
      clearTimeout(timer);
      timer = setTimeout(() => {
        turn = turn.then(async () => {
          await running.stop();
          running = start(inspect, loaded);
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

/** Milliseconds that the service has to finish what it does. */
const patience = 3000;

function start(inspect: readonly string[], loaded: Set<string>) {
  const child = spawn(pinnedNode, [...inspect, program], { cwd: root, stdio: ['ignore', 'inherit', 'pipe', 'ipc'] });
  let complaint = '';
  child.stderr?.on('data', (text: Buffer) => {
    process.stderr.write(text);
    complaint = (complaint + text).slice(-10_000);
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const ready = new Promise<number>((resolve, reject) => {
    child.on('message', (message: ServiceMessage) => {
      if ('loaded' in message) loaded.add(fileURLToPath(message.loaded));
      else resolve(message.listening);
    });
    void ended.then(() => reject(new Error(complaint.trim() || 'The service has ended without a word.')));
  });
  ready.catch(() => undefined);
  return {
    ready,
    send(news: Heard) {
      // One that has ended has nothing to forget.
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
