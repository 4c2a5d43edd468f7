import { expect, it } from 'vitest';
import { tabStorage } from '../platform/storage.ts';
import { forgetDraft, keepDraft, readDraft } from './form-draft.ts';

it('a draft keeps typed text, except passwords, until it is forgotten', () => {
  keepDraft('register', { name: 'Ann', consent_offers: true, password: 'secret', password_repeat: 'secret' });
  expect(readDraft('register')).toEqual({ name: 'Ann', consent_offers: true });
  expect(tabStorage.read('draft.register')).not.toContain('secret');
  forgetDraft('register');
  expect(readDraft('register')).toEqual({});
});
