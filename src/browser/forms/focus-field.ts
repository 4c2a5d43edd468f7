/** Brings the focus to a field, and opens whatever it is folded away in. */
export function focusField(id: string): void {
  const field = document.getElementById(id);
  for (let fold = field?.closest('details'); fold; fold = fold.parentElement?.closest('details')) fold.open = true;
  field?.focus();
}
