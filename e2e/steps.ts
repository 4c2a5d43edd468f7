import type { Page } from 'playwright-core';
import { password } from '../src/testing/people.ts';

export const buttonOf = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Sends the form of the sign-in page. */
export async function signIn(page: Page, email: string, word = password): Promise<void> {
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill(word);
  await buttonOf(page, 'Login').click();
}

/** Fills in the register form, except for the confirmation of the phone. */
export async function fillInRegistration<Person extends { readonly email: string; readonly phone: string }>(
  page: Page,
  person: Person,
): Promise<Person> {
  await page.getByLabel('Your Name').fill('Grace Hopper');
  await page.getByLabel('Email', { exact: true }).fill(person.email);
  await page.getByLabel('Phone number').fill(person.phone);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByLabel('Repeat password', { exact: true }).fill(password);
  await page.getByLabel('I agree to the processing of my personal data').check();
  return person;
}
