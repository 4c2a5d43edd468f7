import { cell } from '../platform/cell.ts';
import { followRequests, idle } from './request-status.ts';

/**
 * Requests outside of a screen, such as the guard's: `send` rejects with their failure, and `status` is that of the newest one.
 */
export function recordRequests<Input extends unknown[], Answer>(
  ask: (signal: AbortSignal, ...input: Input) => Promise<Answer>,
) {
  const status = cell(idle);
  let newest = 0;
  async function send(...input: Input): Promise<Answer> {
    newest += 1;
    const own = newest;
    const { start } = followRequests((now) => own === newest && status.write(now));
    let answers: [Answer] | undefined;
    let failure: unknown = new DOMException('cancelled', 'AbortError');
    await start(
      async (signal) => {
        answers = [await ask(signal, ...input)];
      },
      (kept) => {
        failure = kept;
      },
    );
    if (!answers) throw failure;
    return answers[0];
  }
  return { status, send };
}
