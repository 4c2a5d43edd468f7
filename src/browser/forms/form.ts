import {
  type FocusEvent,
  type FormEvent,
  type RefObject,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import type * as z from 'zod/mini';
import type { FieldFailure } from '../../contract/failures.ts';
import { failureOf, type RequestFailure, type RequestStatus, useRequest } from '../requests/request-status.ts';
import {
  type FieldValue,
  forgetDraft,
  keepDraft,
  markClean,
  markDirty,
  readDraft,
  readFields,
  released,
  type Values,
  type Widened,
  writeField,
} from './draft.ts';
import { focusField, useFormFocus, useRefusals } from './form-errors.ts';

interface FormOptions<Contract, Schema extends z.ZodMiniType, Fields extends Values> {
  /** `() => import('./….contract.ts')`: loaded only once the user starts to fill in the form. */
  contract: () => Promise<Contract>;
  /** The schema of the body; the server uses the same. */
  schema: (contract: Contract) => Schema;
  /** The initial value of every field, by name; a later value fills a field that the user has not changed. */
  initial: Fields;
  /** Further values of the body, such as `locale`. */
  also?: Record<string, unknown>;
  send: (contract: Contract, body: z.input<Schema>, signal: AbortSignal) => Promise<unknown>;
  /** Further checks, by code that only some forms load. */
  asyncCheck?: (fields: Fields) => Promise<readonly FieldFailure[]>;
  /** Shows the error of a filled field as soon as the user leaves it, before anything is sent. */
  checksOnLeaving?: boolean;
  /** The name under which this tab keeps the typed values, except passwords, until the form is sent. */
  draft?: string | undefined;
}

/** Props of a field component: `id` and `name` go to the input, which is uncontrolled. */
export interface FormField<Value extends FieldValue = FieldValue> {
  readonly id: string;
  readonly name: string;
  /** The current value, for hints and the like. */
  readonly value: Value;
  readonly error: FieldFailure | undefined;
}

export interface Form<Fields extends Values> {
  /** For the `<form>` element. */
  readonly props: Record<'onFocus' | 'onInput' | 'onInputCapture', () => void> & {
    ref: RefObject<HTMLFormElement | null>;
    /** The only method that sends nothing: before hydration, a password must not get into the URL. */
    method: 'dialog';
    noValidate: true;
    onBlur: (event: FocusEvent) => void;
    onSubmit: (event: FormEvent) => void;
  };
  field<Name extends keyof Fields & string>(name: Name): FormField<Widened<Fields[Name]>>;
  /** Sets a field as if the user had typed the value. */
  set(name: keyof Fields & string, value: FieldValue): void;
  /** Empties a field that still holds the value that was sent. */
  clear(name: keyof Fields & string, sent: FieldValue): void;
  /** Shows an error at a field before the form is sent, and focuses the field unless the user is elsewhere. */
  refuse(failure: FieldFailure, isElsewhere?: boolean): void;
  /** Hides a field's error while the remedy, which takes time, is under way. */
  takeBack(name: keyof Fields & string): void;
  /** The errors, in the order of the fields; gets the focus through `summaryRef`, with `tabIndex={-1}`. */
  readonly summary: readonly { field: string; code: FieldFailure['code']; message: string }[];
  readonly summaryRef: RefObject<HTMLElement | null>;
  /** Moves the focus after a submission, unless the user types or has gone elsewhere since; returns whether it may. */
  moveFocus(to: HTMLElement | null): boolean;
  /** A failure of the request rather than a field: show it with `<Text {...failure.text} />` and offer `retry`. */
  readonly failure: RequestFailure | undefined;
  /** Sends the form again; cancels a pending request. */
  retry(): void;
  /** Forgets the draft: the user gave up the change. */
  discard(): void;
  readonly busy: boolean;
  /** The server has stored the values that the form shows. */
  readonly saved: boolean;
  readonly request: RequestStatus;
}

/**
 * One form. Its inputs are uncontrolled, so text that was typed or autofilled before hydration stays. Validated on
 * submit; after that, each error disappears as soon as it is fixed. If the user corrects a value and submits the form
 * again before it is checked or refused, the corrected values follow.
 */
export function useForm<Contract, Schema extends z.ZodMiniType, Fields extends Values>(
  options: FormOptions<Contract, Schema, Fields>,
): Form<Fields> {
  const { initial, also, draft } = options;
  const ref = useRef<HTMLFormElement>(null);
  const [values, setValues] = useState<Values>(initial);
  /** The values last filled in or sent. A field that still holds its value may be filled again. */
  const filled = useRef<Values>(undefined);
  /** The values that the server stored, as far as known; `filled` may contain those of a draft. */
  const stored = useRef<Values>(undefined);
  const { left, moveFocus } = useFormFocus();
  const { failures, refuse, refuseField, clearFixed, takeBack, ...shown } = useRefusals(moveFocus);

  const element = () => ref.current as HTMLFormElement;
  const read = () => readFields(element(), Object.keys(initial));
  const begin = useFormCode(options.contract);

  async function check(now: Values): Promise<readonly FieldFailure[]> {
    const [[contract, { checkForm }], further = []] = await Promise.all([begin(), options.asyncCheck?.(now as Fields)]);
    return [...checkForm(options.schema(contract), { ...now, ...also }), ...further];
  }

  const request = useRequest(
    async (signal, now: Values) => {
      const [contract] = await begin();
      await options.send(contract, { ...now, ...also } as z.input<Schema>, signal);
      filled.current = now;
      stored.current = now;
      markClean(ref);
      forgetDraft(draft);
    },
    { onError: ({ fields }) => void refuse([], read(), fields) },
  );

  const submissions = useSubmissions({
    read: () => (ref.current ? read() : undefined),
    check,
    async refuse(wrong, sent) {
      if (!refuse(wrong, sent)) return false;
      if (ref.current && !isSame(sent, read())) await hideFixed();
      return true;
    },
    send: request.start,
    repeat: () => element().requestSubmit(),
  });

  function changed(): void {
    const now = read();
    setValues(now);
    markDirty(ref);
    if (draft) keepDraft(draft, now, initial);
    if (failures.length > 0) hideFixed().catch(console.error);
  }

  async function hideFixed(): Promise<void> {
    const now = read();
    clearFixed(await check(now), now);
  }

  async function checkLeft({ name }: HTMLInputElement): Promise<void> {
    await released();
    const now = ref.current ? read() : {};
    if (!now[name]) return;
    const failure = (await check(now)).find(({ field }) => field === name);
    if (failure && ref.current && isSame(now, read())) refuseField({ ...failure, isEarly: true }, now);
  }

  const filling = JSON.stringify(initial);
  // biome-ignore lint/correctness/useExhaustiveDependencies: fills once, and again when `initial` changes
  useLayoutEffect(() => {
    const now = read();
    const next: Values = { ...initial, ...readDraft(draft) };
    for (const [name, value] of Object.entries(next))
      if (filled.current ? now[name] === filled.current[name] : !now[name]) writeField(element(), name, value);
    filled.current = next;
    stored.current = initial;
    setValues(read());
  }, [filling, draft]);
  useEffect(() => () => markClean(ref), []);

  return {
    props: {
      ref,
      method: 'dialog',
      noValidate: true,
      onFocus: () => void begin().catch(console.error),
      onInput: changed,
      onBlur({ target }) {
        const isShown = failures.some(({ field }) => field === target.id);
        if (options.checksOnLeaving && !isShown && target instanceof HTMLInputElement)
          checkLeft(target).catch(console.error);
      },
      // Before a complete code submits the form.
      onInputCapture() {
        left.current = null;
      },
      onSubmit(event) {
        event.preventDefault();
        left.current = document.activeElement;
        void submissions.submit();
      },
    },
    field: (name) => ({
      id: name,
      name,
      value: values[name] as never,
      error: failures.find(({ field }) => field === name),
    }),
    set(name, value) {
      writeField(element(), name, value);
      changed();
    },
    clear(name, sent) {
      if (read()[name] === sent) this.set(name, '');
    },
    refuse(failure, isElsewhere = false) {
      refuseField(failure, read());
      if (!isElsewhere) focusField(failure.field);
    },
    takeBack,
    moveFocus,
    ...shown,
    failure: failures.length > 0 ? undefined : (submissions.unloaded ?? request.error),
    retry() {
      submissions.abandon();
      request.cancel();
      element().requestSubmit();
    },
    discard: () => forgetDraft(draft),
    saved: request.state === 'success' && isSame(values, stored.current ?? {}),
    busy: submissions.checking || request.state === 'pending',
    request,
  };
}

const isSame = (some: Values, others: Values): boolean =>
  Object.entries(some).every(([name, value]) => others[name] === value);

/** Whether the server refused the values, so that others may be sent immediately. */
const isRefusal = (failure: RequestFailure | undefined): boolean => failure?.status === 401 || failure?.status === 422;

/** A submission, and the values of a later one, which is not sent at the same time. */
interface Submission {
  readonly values: Values;
  later?: Values;
}

interface SubmissionSteps {
  /** The form's values; undefined once the form is gone. */
  read(): Values | undefined;
  check(values: Values): Promise<readonly FieldFailure[]>;
  /** Shows the errors; resolves to whether there are any. */
  refuse(wrong: readonly FieldFailure[], values: Values): Promise<boolean>;
  /** Resolves to the failure, if any. */
  send(values: Values): Promise<RequestFailure | undefined>;
  /** Submits the form anew. */
  repeat(): void;
}

/**
 * Checks and sends a form, one submission at a time: a double click sends nothing twice. Values that the user corrects and
 * submits meanwhile replace those that are still being checked, and follow those that the server refuses.
 */
function useSubmissions({ read, check, refuse, send, repeat }: SubmissionSteps) {
  const current = useRef<Submission>(undefined);
  const [unloaded, setUnloaded] = useState<RequestFailure>();
  /** Waiting for the form's code, which takes seconds on a slow network. */
  const [checking, setChecking] = useState(false);

  /** Whether the form was submitted again with other values, which it still has. */
  function isCorrected({ values, later }: Submission): boolean {
    const now = read();
    return later !== undefined && now !== undefined && !isSame(later, values) && isSame(later, now);
  }

  async function submit(): Promise<void> {
    const values = read();
    if (!values) return;
    if (current.current) {
      current.current.later = values;
      return;
    }
    const submission: Submission = { values };
    current.current = submission;
    setUnloaded(undefined);
    // Wait for the next turn: by then, a form whose code has loaded is already checked.
    const slow = setTimeout(setChecking, 0, true);
    let mayFollow = false;
    try {
      const wrong = await check(values);
      if (isCorrected(submission)) mayFollow = true;
      else if (!(await refuse(wrong, values))) mayFollow = isRefusal(await send(values));
    } catch (error) {
      setUnloaded(await failureOf(error));
    } finally {
      clearTimeout(slow);
      if (current.current === submission) {
        current.current = undefined;
        setChecking(false);
        if (mayFollow && isCorrected(submission)) repeat();
      }
    }
  }

  return {
    submit,
    /** Lets the next submission begin although one is pending. */
    abandon(): void {
      current.current = undefined;
    },
    checking,
    /** The form's code did not load. */
    unloaded,
  };
}

/** Loads the contract of a form and the code that checks it, on first use; loads again only after a failure. */
function useFormCode<Contract>(contract: () => Promise<Contract>) {
  const load = () => Promise.all([contract(), import('./form-check.ts')]);
  const loaded = useRef<ReturnType<typeof load>>(undefined);
  return () => {
    loaded.current ??= load();
    loaded.current.catch(() => {
      loaded.current = undefined;
    });
    return loaded.current;
  };
}

/**
 * After an incorrect password, clears its field for the next attempt and focuses it. A password that was typed while the
 * other one was checked stays.
 */
export function useWrongPassword<Name extends string>(form: Form<Record<Name, string>>, name: Name): void {
  const sent = useRef('');
  const keep = useEffectEvent(() => {
    const { current } = form.props.ref;
    if (current) sent.current = String(readFields(current, [name])[name]);
  });
  const clear = useEffectEvent(() => {
    form.clear(name, sent.current);
    form.moveFocus(document.getElementById(name));
  });
  const { failure, request } = form;
  useEffect(() => {
    if (request.state === 'pending') keep();
  }, [request.state]);
  useEffect(() => {
    if (failure?.code === 'incorrect_password') clear();
  }, [failure]);
}
