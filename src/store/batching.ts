import { AsyncLocalStorage } from 'node:async_hooks';
import { type Compilable, type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { engineOf, type Store } from './database.ts';
import { outOfTime } from './postgres/client.ts';
import { markAsynchronous } from './sqlite/dialect.ts';
import { budgetOfRequest, withinBudget } from './time-budget.ts';

/** Returns the answers to a batch of questions, in the same order. */
type RunBatch<Question, Answer> = (batch: readonly Question[]) => Promise<readonly Answer[]>;

interface QueuedQuestion<Question, Answer> {
  readonly question: Question;
  /** When its request stops waiting (`performance.now()`). */
  readonly deadline: number;
  /** Set for the first of a batch: runs a function in the context of its request, so that it appears in its trace. */
  readonly inRequest: ReturnType<typeof AsyncLocalStorage.snapshot> | undefined;
  /** The first call of either ends the wait and charges the request for it; further calls have no effect. */
  answer(answer: Answer): void;
  refuse(error: unknown): void;
}

const maxPerStatement = 200;
/** Milliseconds after which the next batch no longer waits for a late one. */
const longestPause = 100;

/**
 * Saves round trips and commits: while PostgreSQL executes one statement, the next questions gather for another. A
 * question only joins a statement that is not sent yet, so its answer reflects everything that its caller did before.
 */
export function openBatches<Question, Answer>(
  answerAll: RunBatch<Question, Answer>,
): (question: Question) => Promise<Answer> {
  type One = QueuedQuestion<Question, Answer>;
  const waiting: One[] = [];
  let isPaused = false;

  function sendNext(): void {
    isPaused = waiting.length > 0;
    if (isPaused) send(waiting.splice(0, maxPerStatement));
  }

  function send(batch: readonly One[]): void {
    let isLate = false;
    let timer = setTimeout(() => {
      isLate = true;
      sendNext();
      giveUp();
    }, longestPause);
    /** Refuses questions past their deadline, now and later. */
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

  /** Answers or refuses every question of a batch; never throws. */
  async function settle(batch: readonly One[]): Promise<void> {
    try {
      // A separate budget: the first request must not pay for those that gather behind it.
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
      const end = (settle: () => void): void => {
        if (isOver) return;
        isOver = true;
        if (budget) budget.left -= performance.now() - began;
        settle();
      };
      waiting.push({
        question,
        deadline: began + left,
        inRequest: waiting.length === 0 ? AsyncLocalStorage.snapshot() : undefined,
        answer: (answer) => end(() => resolve(answer)),
        refuse: (error) => end(() => reject(error)),
      });
      if (isPaused) return;
      isPaused = true;
      setImmediate(sendNext);
    });
  };
}

/** The same for several stores, each with its own batches. */
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

/** A condition that a column equals the key, or one of several keys. */
type IsKey = (column: string) => Expression<SqlBool>;

/**
 * Looks up rows by one key, which each row has in `keyIn`. PostgreSQL gets parallel lookups as one statement, except those
 * within transactions.
 */
export function openLookup<Row>(
  keyIn: keyof Row,
  ask: (store: Store, isKey: IsKey) => Compilable<Row> | RawBuilder<Row>,
): (store: Store, key: string) => Promise<Row[]> {
  const find = async (store: Store, isKey: IsKey): Promise<Row[]> =>
    (await store.executeQuery(ask(store, isKey).compile(store))).rows;
  const together = openBatchesByStore(async (store, keys: readonly string[]) => {
    const isOne: IsKey = (column) => sql`${sql.ref(column)} = any(${[...new Set(keys)]})`;
    const found = Map.groupBy(await find(store, isOne), (row) => row[keyIn] as string);
    return keys.map((key) => found.get(key) ?? []);
  });
  return (store, key) =>
    engineOf(store) === 'sqlite' || store.isTransaction
      ? find(store, (column) => sql`${sql.ref(column)} = ${key}`)
      : together(store, key);
}

/** Class 22 and 23 of SQLSTATE: a single question caused the error, so the others must not fail with it. */
const isOfOneQuestion = (error: unknown): boolean => /^2[23]/.test(String((error as { code?: unknown }).code));

/**
 * Executes a statement that commits without an fsync. A power cut, or on PostgreSQL the crash of the server, may undo its
 * changes; the end of our process does not. Never within a transaction, whose other changes would then be undone as well.
 */
export async function executeAsynchronously<Row>(store: Store, statement: RawBuilder<Row>): Promise<Row[]> {
  if (store.isTransaction) throw new Error('a transaction commits all of its changes in the same way');
  const query = statement.compile(store);
  if (engineOf(store) === 'sqlite') return (await store.executeQuery(markAsynchronous(query))).rows;
  // Until the statement's own transaction ends, since behind a pooler others use the same session.
  const sql = `with changed as (${query.sql}) select *, set_config('synchronous_commit', 'off', true) from changed`;
  return (await store.executeQuery<Row>({ ...query, sql })).rows;
}
