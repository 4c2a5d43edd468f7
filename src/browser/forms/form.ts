import { type FormEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type * as z from 'zod/mini';
import type { FieldFailure } from '../../contract/failures.ts';
import { reloadOnce } from '../platform/reload-guard.ts';
import { RequestFailure } from '../requests/request-failure.ts';
import { type RequestStatus, useRequest } from '../requests/request-status.ts';
import { markClean, markDirty } from './dirty.ts';
import { focusField } from './focus-field.ts';
import { forgetDraft, keepDraft, readDraft } from './form-draft.ts';
import { type FieldValue, readFields, type Values, writeField } from './form-fields.ts';
import { useRefusals } from './refusals.ts';

export interface FormOptions<Contract, Schema extends z.ZodMiniType, Fields extends Values> {
  /** `() => import('./….contract.ts')`: loaded when somebody begins to fill the form in, and not before. */
  contract: () => Promise<Contract>;
  /** The schema of the body: the same on both sides. */
  schema: (contract: Contract) => Schema;
  /** Every field by name, with what it holds at first; a later value fills a field that nobody has changed. */
  initial: Fields;
  /** What the body has besides the fields, such as `locale`. */
  also?: Record<string, unknown>;
  send: (contract: Contract, body: z.input<Schema>, signal: AbortSignal) => Promise<unknown>;
  /** Further checks by code that is loaded only where it is needed. */
  asyncCheck?: (fields: Fields) => Promise<readonly FieldFailure[]>;
  /** Keeps what was typed, but no password, in this tab under this name until the form is sent. */
  draft?: string;
}

type Widened<Value> = Value extends boolean ? boolean : string;

/** What a field component needs: `id` and `name` go to the input, which keeps its value itself. */
export interface FormField<Value extends FieldValue = FieldValue> {
  readonly id: string;
  readonly name: string;
  /** What it holds now, for hints and the like. */
  readonly value: Value;
  readonly error: FieldFailure | undefined;
}

export interface Form<Fields extends Values> {
  /** For the `<form>` element. */
  readonly props: {
    ref: RefObject<HTMLFormElement | null>;
    /** The one method that sends nothing: before the page is alive, a password must not get into an address. */
    method: 'dialog';
    noValidate: true;
    onFocus: () => void;
    onInput: () => void;
    onSubmit: (event: FormEvent) => void;
  };
  field<Name extends keyof Fields & string>(name: Name): FormField<Widened<Fields[Name]>>;
  /** Writes a field as if it had been typed. */
  set(name: keyof Fields & string, value: FieldValue): void;
  /** Says what is wrong with a field before the form is sent, and brings the focus there. */
  refuse(failure: FieldFailure): void;
  /** No longer says what is wrong with a field: what is being done about it takes time. */
  takeBack(name: keyof Fields & string): void;
  /** What is wrong, in the order of the fields; gets the focus through `summaryRef`, with `tabIndex={-1}`. */
  readonly summary: readonly { field: string; code: FieldFailure['code']; message: string }[];
  readonly summaryRef: RefObject<HTMLElement | null>;
  /** A failure that is not a field's: say it with `<Text {...failure.text} />` and offer `retry`. */
  readonly failure: RequestFailure | undefined;
  /** Sends it once more, also while the request before is still unanswered: that one is given up. */
  retry(): void;
  readonly busy: boolean;
  readonly request: RequestStatus;
}

/**
 * One form. Its inputs keep their values themselves, so that what was typed or filled in before the page came
 * alive stays. Checked when it is submitted; from then on an error goes as soon as it is mended.
 */
export function useForm<Contract, Schema extends z.ZodMiniType, Fields extends Values>(
  options: FormOptions<Contract, Schema, Fields>,
): Form<Fields> {
  const { initial, also, draft } = options;
  const ref = useRef<HTMLFormElement>(null);
  const [values, setValues] = useState<Values>(initial);
  const [unloaded, setUnloaded] = useState<RequestFailure>();
  /** The submission under way. */
  const submitting = useRef<object>(undefined);
  /** What the fields were filled with, or sent with since: they may be filled anew as long as they hold that. */
  const filled = useRef<Values>(undefined);
  const { failures, refuse, refuseField, mend, takeBack, ...told } = useRefusals();

  const element = () => ref.current as HTMLFormElement;
  const read = () => readFields(element(), Object.keys(initial));

  const loaded = useRef<ReturnType<typeof load>>(undefined);
  const load = () => Promise.all([options.contract(), import('./form-check.ts')]);
  const begin = () => {
    loaded.current ??= load();
    loaded.current.catch(() => {
      loaded.current = undefined;
    });
    return loaded.current;
  };

  async function check(now: Values): Promise<readonly FieldFailure[]> {
    const [[contract, { checkForm }], further = []] = await Promise.all([begin(), options.asyncCheck?.(now as Fields)]);
    return [...checkForm(options.schema(contract), { ...now, ...also }), ...further];
  }

  const request = useRequest(
    async (signal, now: Values) => {
      const [contract] = await begin();
      await options.send(contract, { ...now, ...also } as z.input<Schema>, signal);
      filled.current = now;
      markClean(ref);
      forgetDraft(draft);
    },
    { onError: ({ fields }) => void refuse([], read(), fields) },
  );

  async function submit(): Promise<void> {
    if (submitting.current) return;
    const turn = {};
    submitting.current = turn;
    setUnloaded(undefined);
    try {
      const now = read();
      if (refuse(await check(now), now)) return;
      await request.start(now);
    } catch (error) {
      console.error(error);
      if ((await reloadOnce()) !== 'reloading') setUnloaded(new RequestFailure(undefined));
    } finally {
      if (submitting.current === turn) submitting.current = undefined;
    }
  }

  function changed(): void {
    const now = read();
    setValues(now);
    markDirty(ref);
    if (draft) keepDraft(draft, now);
    if (failures.length > 0) check(now).then((found) => mend(found, now), console.error);
  }

  const filling = JSON.stringify(initial);
  // biome-ignore lint/correctness/useExhaustiveDependencies: fills once, and again when there is something new to fill in
  useLayoutEffect(() => {
    const now = read();
    const next: Values = { ...initial, ...readDraft(draft) };
    for (const [name, value] of Object.entries(next))
      if (filled.current ? now[name] === filled.current[name] : !now[name]) writeField(element(), name, value);
    filled.current = next;
    setValues(read());
  }, [filling]);
  useEffect(() => () => markClean(ref), []);

  return {
    props: {
      ref,
      method: 'dialog',
      noValidate: true,
      onFocus: () => void begin().catch(console.error),
      onInput: changed,
      onSubmit(event) {
        event.preventDefault();
        void submit();
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
    refuse(failure) {
      refuseField(failure, read());
      focusField(failure.field);
    },
    takeBack,
    ...told,
    failure: failures.length > 0 ? undefined : (unloaded ?? request.error),
    retry() {
      submitting.current = undefined;
      request.cancel();
      element().requestSubmit();
    },
    busy: request.state === 'pending',
    request,
  };
}
