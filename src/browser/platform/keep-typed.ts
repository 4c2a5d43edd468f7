/**
 * Holds the fields of the pre-rendered page. If React then renders the page anew, because an extension has inserted
 * something, the returned function moves what the user has typed, and the focus, to the new fields.
 */
export function keepTyped(): () => void {
  const fields = [...document.querySelectorAll<HTMLInputElement>('input[name]')];
  let focused = document.activeElement;
  document.addEventListener('focusin', ({ target }) => {
    focused = target as Element;
  });
  return () => {
    for (const before of fields) {
      if (before.isConnected) continue;
      const now = document.querySelector<HTMLInputElement>(`input[name="${before.name}"]`);
      if (!now) continue;
      move(before, now);
      if (focused === before) now.focus({ preventScroll: true });
    }
  };
}

function move(before: HTMLInputElement, now: HTMLInputElement): void {
  if (before.checked === now.checked && (before.value === '' || now.value !== '')) return;
  now.checked = before.checked;
  if (now.type !== 'checkbox') now.value = before.value;
  // The form reads its fields when they change.
  now.dispatchEvent(new Event('input', { bubbles: true }));
}
