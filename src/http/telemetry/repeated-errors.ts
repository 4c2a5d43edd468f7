import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { seconds } from '../../contract/durations.ts';

declare module 'fastify' {
  interface FastifyInstance {
    tellError: TellError;
  }
}

export interface Happened {
  readonly log: FastifyBaseLogger;
  readonly level: 'warn' | 'error';
  readonly error: Error & { readonly code?: unknown };
  /** What it means, the same for each of its kind. */
  readonly says: string;
}

type TellError = (happened: Happened) => void;

/** Gives a server its way of writing errors into the log. */
export function logErrors(app: FastifyInstance): void {
  const { tell, end } = openErrorLog();
  app.decorate('tellError', tell);
  app.addHook('onClose', async () => end());
}

/** How often an error that goes on is told of again, with how many times it has come meanwhile. */
const toldEvery = seconds(10);
/** More kinds than that at once are told of as one. */
const mostKinds = 50;

/** Writes an error whole when it is new, and counts those that are like it: in an outage each request has the same. */
function openErrorLog(): { tell: TellError; end(): void } {
  const kinds = new Map<string, { times: number; tellTimes(): void }>();

  function tell({ log, level, error, says }: Happened): void {
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
      tellTimes() {
        if (kind.times > 0) log[level]({ code: error.code, error: error.message, times: kind.times }, `${says}, again`);
      },
    };
    kinds.set(key, kind);
    setTimeout(() => {
      if (kinds.delete(key)) kind.tellTimes();
    }, toldEvery).unref();
  }

  return {
    tell,
    end() {
      for (const kind of kinds.values()) kind.tellTimes();
      kinds.clear();
    },
  };
}
