import { spawn } from 'node:child_process';
import { currentProgram } from './built.ts';
import { compileCache } from './compile-cache.ts';

export interface CommandResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface RunOptions {
  readonly folder: string;
  readonly settings: Record<string, string | undefined>;
  /** Kills the command. */
  readonly signal?: AbortSignal;
}

/** Runs the command line as an operator does, in a folder without an `.env` and with only the given settings. */
export const runCommand = (
  words: readonly string[],
  { folder, settings, signal }: RunOptions,
): Promise<CommandResult> =>
  new Promise((resolve) => {
    const { PATH, HOME, SystemRoot } = process.env;
    const child = spawn(process.execPath, [currentProgram('vestibule'), ...words], {
      cwd: folder,
      env: { PATH, HOME, SystemRoot, LOG_LEVEL: 'silent', ...compileCache, ...settings },
    });
    signal?.addEventListener('abort', () => child.kill('SIGKILL'));
    let [out, err] = ['', ''];
    child.stdout.on('data', (text) => {
      out += text;
    });
    child.stderr.on('data', (text) => {
      err += text;
    });
    child.on('close', (code) => resolve({ code, out, err }));
  });
