import type { Page } from 'playwright-core';
import { password } from '../src/testing/people.ts';

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
