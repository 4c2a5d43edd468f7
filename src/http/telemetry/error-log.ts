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
  /** What it means, the same for each of its kind. */
  readonly says: string;
}

type LogError = (happened: LoggedError) => void;

/** Gives a server its way of writing errors into the log. */
export function installErrorLog(app: FastifyInstance): void {
  const { write, end } = openErrorLog();
  app.decorate('logError', write);
  app.addHook('onClose', async () => end());
}

/** How often an error that goes on is told of again, with how many times it has come meanwhile. */
const repeatedEvery = seconds(10);
/** More kinds than that at once are told of as one. */
const mostKinds = 50;

/** Writes an error whole when it is new, and counts those that are like it: in an outage each request has the same. */
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
