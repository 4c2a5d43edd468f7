import { tabStorage } from '../platform/storage.ts';
import type { Values } from './form-fields.ts';

const isSecret = (name: string) => name.startsWith('password');

/** Keeps what was typed, but no password, for this tab. */
export function keepDraft(draft: string, values: Values): void {
  const open = Object.entries(values).filter(([name]) => !isSecret(name));
  tabStorage.write(`draft.${draft}`, JSON.stringify(Object.fromEntries(open)));
}

export const readDraft = (draft: string | undefined): Values =>
  draft ? JSON.parse(tabStorage.read(`draft.${draft}`) ?? '{}') : {};

export function forgetDraft(draft: string | undefined): void {
  if (draft) tabStorage.write(`draft.${draft}`, undefined);
}
