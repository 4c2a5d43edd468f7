export type FieldValue = string | boolean;
export type Values = Readonly<Record<string, FieldValue>>;

// By `name` alone: what gets the focus for a hidden field, such as a button, has the field's `id`.
const inputOf = (form: HTMLFormElement, name: string) =>
  form.querySelector<HTMLInputElement | HTMLSelectElement>(`[name="${name}"]`);

const isCheckbox = (input: HTMLElement): input is HTMLInputElement => 'type' in input && input.type === 'checkbox';

const heldBy = (input: HTMLInputElement | HTMLSelectElement) => (isCheckbox(input) ? input.checked : input.value);

/** What the fields hold; one that is not shown now holds nothing. */
export function readFields(form: HTMLFormElement, names: readonly string[]): Values {
  const held = names.map((name) => {
    const input = inputOf(form, name);
    return [name, input ? heldBy(input) : ''] as const;
  });
  return Object.fromEntries(held);
}

/** Puts a value into a field. */
export function writeField(form: HTMLFormElement, name: string, value: FieldValue): void {
  const input = inputOf(form, name);
  if (!input) return;
  if (isCheckbox(input)) input.checked = value === true;
  else input.value = String(value);
}
