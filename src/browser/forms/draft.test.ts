import { expect, it } from 'vitest';
import { tabStorage } from '../platform/storage.ts';
import { draftOf, forgetDraft, forgetOwnDrafts, hasDraft, keepDraft, readDraft } from './draft.ts';

it('a draft keeps typed text, except passwords, until it is forgotten', () => {
  keepDraft('register', { name: 'Ann', consent_offers: true, password: 'secret', password_repeat: 'secret' });
  expect(readDraft('register')).toEqual({ name: 'Ann', consent_offers: true });
  expect(tabStorage.read('draft.register')).not.toContain('secret');
  forgetDraft('register');
  expect(readDraft('register')).toEqual({});
});

it('a draft of an account keeps only what the user changed, for that account, until they sign out', () => {
  const draft = draftOf({ id: 'anna' }, 'profile') as string;
  const initial = { name: 'Anna', organization: 'Acme' };
  keepDraft(draft, { name: 'Anna Berg', organization: 'Acme', email_password: 'secret' }, initial);
  expect(readDraft(draft)).toEqual({ name: 'Anna Berg' });
  expect(hasDraft(draftOf({ id: 'bo' }, 'profile'))).toBe(false);
  keepDraft(draft, initial, initial);
  expect(hasDraft(draft)).toBe(false);
  keepDraft(draft, { name: 'Anna Berg' }, initial);
  keepDraft('register', { name: 'Ann' });
  forgetOwnDrafts();
  expect([hasDraft(draft), hasDraft('register')]).toEqual([false, true]);
  forgetDraft('register');
});
