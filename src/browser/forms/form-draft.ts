import { tabStorage } from '../platform/storage.ts';
import type { FieldValue, Values } from './form-fields.ts';

const isSecret = (name: string) => name.startsWith('password');

/** Keeps the typed values, except passwords, for this tab. */
export function keepDraft(draft: string, values: Values): void {
  const open = Object.entries(values).filter(([name]) => !isSecret(name));
  tabStorage.write(`draft.${draft}`, JSON.stringify(Object.fromEntries(open)));
}

export function readDraft(draft: string | undefined): Values {
  const kept = Object.entries(draft ? tabStorage.readRecord(`draft.${draft}`) : {});
  return Object.fromEntries(kept.flatMap(([name, value]) => (isFieldValue(value) ? [[name, value]] : [])));
}

const isFieldValue = (value: unknown): value is FieldValue => typeof value === 'string' || typeof value === 'boolean';

export function forgetDraft(draft: string | undefined): void {
  if (draft) tabStorage.write(`draft.${draft}`, undefined);
}
