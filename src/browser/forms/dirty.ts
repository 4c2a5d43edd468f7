const dirty = new Set<unknown>();

/** Marks a form as holding typed text that a reload would lose. */
export const markDirty = (form: unknown): void => void dirty.add(form);
export const markClean = (form: unknown): void => void dirty.delete(form);
export const isDirty = (): boolean => dirty.size > 0;
