import { tabStorage, useCell } from '../platform/storage.ts';
import { knownAccount } from '../requests/session.ts';

export type FieldValue = string | boolean;
export type Values = Readonly<Record<string, FieldValue>>;
/** `true` or `'a'` as an initial value stands for any value of its type. */
export type Widened<Value> = Value extends boolean ? boolean : string;

// Search by `name`: the `id` of a hidden field belongs to the element that takes its focus, such as a button.
const inputOf = (form: HTMLFormElement, name: string) =>
  form.querySelector<HTMLInputElement | HTMLSelectElement>(`[name="${name}"]`);

const isCheckbox = (input: HTMLElement): input is HTMLInputElement => 'type' in input && input.type === 'checkbox';

const currentValue = (input: HTMLInputElement | HTMLSelectElement) => (isCheckbox(input) ? input.checked : input.value);

/** Reads the fields' values; a field that is not rendered reads as empty. */
export function readFields(form: HTMLFormElement, names: readonly string[]): Values {
  const values = names.map((name) => {
    const input = inputOf(form, name);
    return [name, input ? currentValue(input) : ''] as const;
  });
  return Object.fromEntries(values);
}

/** Sets a field's value, if the field is rendered. */
export function writeField(form: HTMLFormElement, name: string, value: FieldValue): void {
  const input = inputOf(form, name);
  if (!input) return;
  if (isCheckbox(input)) input.checked = value === true;
  else input.value = String(value);
}

const isSecret = (name: string) => name.includes('password');

/** Keeps the typed values, except passwords, for this tab. Values that equal the `initial` ones may change elsewhere. */
export function keepDraft(draft: string, values: Values, initial: Values = {}): void {
  const open = Object.entries(values).filter(([name, value]) => !isSecret(name) && value !== initial[name]);
  tabStorage.write(`draft.${draft}`, open.length > 0 ? JSON.stringify(Object.fromEntries(open)) : undefined);
}

export function readDraft(draft: string | undefined): Values {
  const kept = Object.entries(draft ? tabStorage.readRecord(`draft.${draft}`) : {});
  return Object.fromEntries(kept.flatMap(([name, value]) => (isFieldValue(value) ? [[name, value]] : [])));
}

/** Whether this tab keeps typed values of a form. */
export const hasDraft = (draft: string | undefined): boolean => Object.keys(readDraft(draft)).length > 0;

const isFieldValue = (value: unknown): value is FieldValue => typeof value === 'string' || typeof value === 'boolean';

export function forgetDraft(draft: string | undefined): void {
  if (draft) tabStorage.write(`draft.${draft}`, undefined);
}

/** The name of a draft that only this account gets back, after a sign-in that its form had to wait for. */
export const draftOf = (account: { readonly id: string } | undefined, form: string): string | undefined =>
  account && `own.${account.id}.${form}`;

/** Forgets the drafts of all accounts, when the user signs out. */
export const forgetOwnDrafts = (): void => tabStorage.forgetAll('draft.own.');

/** The name of the signed-in user’s draft; undefined until the page has read the account. */
export const useOwnDraft = (form: string): string | undefined =>
  draftOf(
    useCell(knownAccount, () => undefined),
    form,
  );

const dirty = new Set<unknown>();

/** Marks a form as holding typed text that a reload would lose. */
export const markDirty = (form: unknown): void => void dirty.add(form);
export const markClean = (form: unknown): void => void dirty.delete(form);
export const isDirty = (): boolean => dirty.size > 0;

const pollingInterval = 20;

/**
 * Resolves once nothing is pressed. A click that blurs a field must hit its button before a message moves that button
 * down: a press and a release on different elements are no click. Polls, since a tap sends its events out of this order.
 */
export async function released(): Promise<void> {
  do await new Promise((resolve) => setTimeout(resolve, pollingInterval));
  while (document.documentElement.matches(':active'));
}

const keyOf = (operation: string) => `draft.attempt.${operation}` as const;

/** A random key, the same in this tab until the operation succeeds: after a lost response, a retry gets it again. */
export function idempotencyKeyFor(operation: string): string {
  const attempt = tabStorage.read(keyOf(operation)) ?? crypto.getRandomValues(new Uint32Array(4)).join('-');
  tabStorage.write(keyOf(operation), attempt);
  return attempt;
}

/** Makes the next request a new one, even if it is equal. */
export const forgetIdempotencyKey = (operation: string): void => tabStorage.write(keyOf(operation), undefined);
