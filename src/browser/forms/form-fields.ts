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
