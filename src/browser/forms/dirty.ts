const dirty = new Set<unknown>();

/** Notes that a form holds something typed, which a reload would cost. */
export const markDirty = (form: unknown): void => void dirty.add(form);
export const markClean = (form: unknown): void => void dirty.delete(form);
export const isDirty = (): boolean => dirty.size > 0;
