import { AsyncLocalStorage } from 'node:async_hooks';
import { budgetLeft, spend, withinBudget } from './budget.ts';
import type { Store } from './database.ts';
import { outOfTime } from './postgres/client.ts';

/** The answers to a batch of questions, in their order. */
type AnswerAll<Question, Answer> = (batch: readonly Question[]) => Promise<readonly Answer[]>;

interface Waiting<Question, Answer> {
  readonly question: Question;
  /** When (`performance.now()`) its request gives up. */
  readonly deadline: number;
  /** Runs something as part of its request, in whose trace a batch appears that begins with it. */
  readonly inRequest: ReturnType<typeof AsyncLocalStorage.snapshot>;
  isGivenUp: boolean;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

const mostInOneStatement = 200;
/** Milliseconds after which a batch is so late that the next one no longer waits for it. */
const holdsUpFor = 25;

/**
 * Few round trips and few commits: while PostgreSQL answers one statement, the next questions gather for another. A
 * question joins only a statement that is yet to be sent, so its answer holds whatever its caller has done before.
 */
export function inBatches<Question, Answer>(
  answerAll: AnswerAll<Question, Answer>,
): (question: Question) => Promise<Answer> {
  let waiting: Waiting<Question, Answer>[] = [];
  let isHeldUp = false;

  function sendNext(): void {
    waiting = waiting.filter(({ isGivenUp }) => !isGivenUp);
    isHeldUp = waiting.length > 0;
    if (isHeldUp) send(waiting.splice(0, mostInOneStatement));
  }

  function send(batch: readonly Waiting<Question, Answer>[]): void {
    let isOver = false;
    const goOn = () => {
      if (!isOver) sendNext();
      isOver = true;
    };
    const late = setTimeout(goOn, holdsUpFor);
    void settle(batch).then(() => {
      clearTimeout(late);
      goOn();
    });
  }

  /** Every question of a batch is answered or refused afterwards; never throws. */
  async function settle(batch: readonly Waiting<Question, Answer>[]): Promise<void> {
    try {
      // A budget of its own: the request that came first must not pay for all that gather behind it.
      const left = Math.max(...batch.map(({ deadline }) => deadline)) - performance.now();
      const questions = batch.map(({ question }) => question);
      const answers = await batch[0]?.inRequest(() => withinBudget(() => answerAll(questions), left));
      for (const [at, { resolve }] of batch.entries()) resolve(answers?.[at] as Answer);
    } catch (error) {
      if (batch.length > 1 && isOfOneQuestion(error)) await Promise.all(batch.map((one) => settle([one])));
      else for (const { reject } of batch) reject(error);
    }
  }

  function ask(question: Question, left: number): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const one = {
        question,
        deadline: performance.now() + left,
        inRequest: AsyncLocalStorage.snapshot(),
        isGivenUp: false,
        resolve,
        reject,
      };
      waiting.push(one);
      if (!isHeldUp) {
        isHeldUp = true;
        setImmediate(sendNext);
      }
      if (!Number.isFinite(left)) return;
      const giveUp = setTimeout(() => {
        one.isGivenUp = true;
        reject(outOfTime());
      }, Math.ceil(left));
      one.resolve = (answer) => {
        clearTimeout(giveUp);
        resolve(answer);
      };
      one.reject = (error) => {
        clearTimeout(giveUp);
        reject(error);
      };
    });
  }

  return async (question) => {
    const left = budgetLeft();
    if (left <= 0) throw outOfTime();
    const began = performance.now();
    try {
      return await ask(question, left);
    } finally {
      spend(performance.now() - began);
    }
  };
}

/** The same for a statement of any store, each of which gathers for itself. */
export function inBatchesOf<Question, Answer>(
  answerAll: (store: Store, batch: readonly Question[]) => Promise<readonly Answer[]>,
): (store: Store, question: Question) => Promise<Answer> {
  const gathered = new WeakMap<Store, (question: Question) => Promise<Answer>>();
  return (store, question) => {
    const ask = gathered.get(store) ?? inBatches((batch: readonly Question[]) => answerAll(store, batch));
    gathered.set(store, ask);
    return ask(question);
  };
}

/** Class 22 and 23 of SQLSTATE: what one of a batch asks is at fault, and the others must not be refused with it. */
const isOfOneQuestion = (error: unknown): boolean => /^2[23]/.test(String((error as { code?: unknown }).code));
