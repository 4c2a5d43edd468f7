import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { seconds } from '../../contract/durations.ts';

declare module 'fastify' {
  interface FastifyInstance {
    logError: LogError;
  }
}

export interface LoggedError {
  readonly log: FastifyBaseLogger;
  readonly level: 'warn' | 'error';
  readonly error: Error & { readonly code?: unknown };
  /** The message, the same for every error of its kind. */
  readonly says: string;
}

type LogError = (happened: LoggedError) => void;

/** Adds `logError` to a server. */
export function installErrorLog(app: FastifyInstance): void {
  const { write, end } = openErrorLog();
  app.decorate('logError', write);
  app.addHook('onClose', async () => end());
}

/** How often a recurring error is logged again, with its count since then. */
const repeatedEvery = seconds(10);
/** Kinds beyond this number are logged as one. */
const mostKinds = 50;

/** Logs a new error in full, and only counts repetitions: during an outage, every request has the same error. */
function openErrorLog(): { write: LogError; end(): void } {
  const kinds = new Map<string, { times: number; reportTimes(): void }>();

  function write({ log, level, error, says }: LoggedError): void {
    const name = `${says} ${error.code ?? ''} ${error.message}`;
    const key = kinds.has(name) || kinds.size < mostKinds ? name : '';
    const known = kinds.get(key);
    if (known) {
      known.times += 1;
      return;
    }
    log[level]({ err: error }, says);
    const kind = {
      times: 0,
      reportTimes() {
        if (kind.times > 0) log[level]({ code: error.code, error: error.message, times: kind.times }, `${says}, again`);
      },
    };
    kinds.set(key, kind);
    setTimeout(() => {
      if (kinds.delete(key)) kind.reportTimes();
    }, repeatedEvery).unref();
  }

  return {
    write,
    end() {
      for (const kind of kinds.values()) kind.reportTimes();
      kinds.clear();
    },
  };
}
