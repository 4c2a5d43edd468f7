/**
 * If React renders the page anew, because an extension has inserted something before hydration, this moves what the user
 * has typed to the new fields. `before` are the fields of the pre-rendered page.
 */
export function moveTyped(before: Iterable<HTMLInputElement>): void {
  for (const field of before) {
    const now = document.querySelector<HTMLInputElement>(`input[name="${field.name}"]`);
    if (!field.isConnected && now) move(field, now);
  }
}

function move(before: HTMLInputElement, now: HTMLInputElement): void {
  if (before.checked === now.checked && (before.value === '' || now.value !== '')) return;
  now.checked = before.checked;
  if (now.type !== 'checkbox') now.value = before.value;
  // The form reads its fields when they change.
  now.dispatchEvent(new Event('input', { bubbles: true }));
}
