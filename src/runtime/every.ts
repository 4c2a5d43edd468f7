/** A job that runs at intervals, never twice at the same time. */
export interface RegularJob {
  /** Runs it now; if it is running, once more when that run ends. */
  wake(): void;
  /** Starts no more runs. Resolves when the current one has ended. */
  stop(): Promise<void>;
}

export interface JobLog {
  info(details: object, message: string): void;
  error(details: object, message: string): void;
}

interface JobOptions {
  /** Completes "… failed" in the log. */
  readonly name: string;
  readonly log?: JobLog | undefined;
  /** Milliseconds until the first run; the interval unless given. */
  readonly first?: number;
}

/**
 * Runs a job every `interval` milliseconds, unless it is still running. A failed run is tried again at the next interval:
 * the log gets the first failure, and when the job works again.
 */
export function every(
  interval: number,
  { name, log, first = interval }: JobOptions,
  job: () => Promise<unknown> | unknown,
): RegularJob {
  let running: Promise<void> | undefined;
  let isWoken = false;
  let isFailing = false;
  let stopped = false;

  async function run(): Promise<void> {
    while (isWoken && !stopped) {
      isWoken = false;
      try {
        await job();
        if (isFailing) log?.info({}, `${name} works again`);
        isFailing = false;
      } catch (error) {
        if (!isFailing) log?.error({ err: error }, `${name} failed`);
        isFailing = true;
      }
    }
    running = undefined;
  }

  function wake(): void {
    isWoken = true;
    if (!stopped) running ??= run();
  }

  const tick = () => {
    if (!running) wake();
  };
  let timer = setTimeout(() => {
    timer = setInterval(tick, interval).unref();
    tick();
  }, first).unref();

  return {
    wake,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
