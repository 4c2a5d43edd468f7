import { AsyncLocalStorage } from 'node:async_hooks';
import type { Store } from './database.ts';
import { outOfTime } from './postgres/client.ts';
import { budgetOfRequest, withinBudget } from './time-budget.ts';

/** The answers to a batch of questions, in their order. */
type RunBatch<Question, Answer> = (batch: readonly Question[]) => Promise<readonly Answer[]>;

interface QueuedQuestion<Question, Answer> {
  readonly question: Question;
  /** Until when (`performance.now()`) its request waits. */
  readonly deadline: number;
  /** Of the first of a batch: runs something as part of its request, in whose trace it then appears. */
  readonly inRequest: ReturnType<typeof AsyncLocalStorage.snapshot> | undefined;
  /** Either ends the wait and charges the request for it; whatever comes after that has no effect. */
  answer(answer: Answer): void;
  refuse(error: unknown): void;
}

const mostInOneStatement = 200;
/** Milliseconds after which a batch is so late that the next one no longer waits for it. */
const holdsUpFor = 100;

/**
 * Few round trips and few commits: while PostgreSQL answers one statement, the next questions gather for another. A
 * question joins only a statement that is yet to be sent, so its answer holds whatever its caller has done before.
 */
export function openBatches<Question, Answer>(
  answerAll: RunBatch<Question, Answer>,
): (question: Question) => Promise<Answer> {
  type One = QueuedQuestion<Question, Answer>;
  const waiting: One[] = [];
  let isHeldUp = false;

  function sendNext(): void {
    isHeldUp = waiting.length > 0;
    if (isHeldUp) send(waiting.splice(0, mostInOneStatement));
  }

  function send(batch: readonly One[]): void {
    let isLate = false;
    let timer = setTimeout(() => {
      isLate = true;
      sendNext();
      giveUp();
    }, holdsUpFor);
    /** Refuses whose time is over, now and later. */
    function giveUp(): void {
      const now = performance.now();
      for (const one of batch) {
        if (one.deadline <= now) one.refuse(outOfTime());
      }
      const next = Math.min(...batch.map(({ deadline }) => deadline).filter((deadline) => deadline > now));
      if (Number.isFinite(next)) timer = setTimeout(giveUp, Math.ceil(next - now));
    }
    void settle(batch).then(() => {
      clearTimeout(timer);
      if (!isLate) sendNext();
    });
  }

  /** Every question of a batch is answered or refused afterwards; never throws. */
  async function settle(batch: readonly One[]): Promise<void> {
    try {
      // A budget of its own: the request that came first must not pay for all that gather behind it.
      const left = Math.max(...batch.map(({ deadline }) => deadline)) - performance.now();
      const work = () => withinBudget(() => answerAll(batch.map(({ question }) => question)), left);
      const inRequest = batch[0]?.inRequest;
      const answers = await (inRequest ? inRequest(work) : work());
      for (const [at, one] of batch.entries()) one.answer(answers[at] as Answer);
    } catch (error) {
      if (batch.length > 1 && isOfOneQuestion(error)) await Promise.all(batch.map((one) => settle([one])));
      else for (const one of batch) one.refuse(error);
    }
  }

  return (question) => {
    const budget = budgetOfRequest();
    const left = budget?.left ?? Number.POSITIVE_INFINITY;
    if (left <= 0) return Promise.reject(outOfTime());
    return new Promise((resolve, reject) => {
      const began = performance.now();
      let isOver = false;
      const end = (tell: () => void): void => {
        if (isOver) return;
        isOver = true;
        if (budget) budget.left -= performance.now() - began;
        tell();
      };
      waiting.push({
        question,
        deadline: began + left,
        inRequest: waiting.length === 0 ? AsyncLocalStorage.snapshot() : undefined,
        answer: (answer) => end(() => resolve(answer)),
        refuse: (error) => end(() => reject(error)),
      });
      if (isHeldUp) return;
      isHeldUp = true;
      setImmediate(sendNext);
    });
  };
}

/** The same for a statement of any store, each of which gathers for itself. */
export function openBatchesByStore<Question, Answer>(
  answerAll: (store: Store, batch: readonly Question[]) => Promise<readonly Answer[]>,
): (store: Store, question: Question) => Promise<Answer> {
  const gathered = new WeakMap<Store, (question: Question) => Promise<Answer>>();
  return (store, question) => {
    const ask = gathered.get(store) ?? openBatches((batch: readonly Question[]) => answerAll(store, batch));
    gathered.set(store, ask);
    return ask(question);
  };
}

/** Class 22 and 23 of SQLSTATE: what one of a batch asks is at fault, and the others must not be refused with it. */
const isOfOneQuestion = (error: unknown): boolean => /^2[23]/.test(String((error as { code?: unknown }).code));
