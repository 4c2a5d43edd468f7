import { type Answer, type Client, openClient } from '../../src/testing/client.ts';
import { form, password } from '../../src/testing/people.ts';

let count = 0;

/** Another address each time, in a network of its own: limits by source are met only on purpose. */
export function newAddress(): string {
  count += 1;
  return `${20 + (count % 150)}.${Math.floor(count / 150) % 250}.${Math.floor(count / 37_500) % 250}.7`;
}

/** A browser that nobody has seen yet. */
export const newBrowser = (url: string): Client => openClient(url, { ip: newAddress() });

export interface Person {
  readonly email: string;
  readonly password: string;
  /** Signed in. */
  readonly browser: Client;
}

export async function registerPerson(url: string, changes: Record<string, unknown> = {}): Promise<Person> {
  const person = form(changes);
  const browser = newBrowser(url);
  const answer = await insist(() => browser.post('/auth/register', person));
  const email = String(person.email);
  if (answer?.status === 201) return { email, password, browser };
  // A busy machine may have said "later" when it was done already.
  const again = answer?.status === 409 && (await insist(() => browser.post('/auth/login', { email, password })));
  if (again && again.status === 200) return { email, password, browser };
  throw new Error(`the registration failed: ${JSON.stringify(answer?.body)}`);
}

const mostTries = 20;

/** Asks again while the machine is too busy to answer, as browsers do that are told to come back later. */
export async function insist(send: () => Promise<Answer>): Promise<Answer | undefined> {
  for (let tries = 1; ; tries += 1) {
    const answer = await attempt(send());
    if (answer?.status !== 503 || tries === mostTries) return answer;
    await new Promise((resolve) => setTimeout(resolve, 300 + Math.random() * 400));
  }
}

export const registerPeople = (url: string, many: number): Promise<Person[]> =>
  inParallel(8, Array.from({ length: many }), () => registerPerson(url));

/** Undefined: there was no answer. */
export const attempt = (request: Promise<Answer>): Promise<Answer | undefined> =>
  request.then(
    (answer) => answer,
    () => undefined,
  );

/** Does it for each, so many at once, and returns what came of it in the same order. */
export async function inParallel<T, R>(
  atOnce: number,
  items: readonly T[],
  work: (item: T, at: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const waiting = [...items.entries()];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results[next[0]] = await work(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}

/** How often each status came, as `200 ×12, 503 ×3`. */
export function tally(answers: readonly (Answer | number | undefined)[]): string {
  const statuses = answers.map((answer) => (typeof answer === 'object' ? answer.status : (answer ?? 'no answer')));
  const counts = Map.groupBy(statuses, (status) => status);
  return [...counts].map(([status, { length }]) => `${status} ×${length}`).join(', ');
}

/** The given share of all is at most this. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
}
