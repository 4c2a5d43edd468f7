import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { proofOfWorkHeader, readyForTask } from '../src/contract/sign-in/proof-of-work.ts';
import { openFloodedScheduler } from '../src/testing/flooded-scheduler.ts';
import { register } from '../src/testing/people.ts';
import { signIn } from './steps.ts';
import { openTestSite } from './test-site.ts';

const scheduler = openFloodedScheduler();
const site = await openTestSite({}, { scheduler });

const explanation = 'The server is very busy. Your browser is running a quick check to shorten your wait.';

/** Runs in the page: notes that a status has explained the wait, which ends soon. */
function noteExplanation(text: string): void {
  const note = () => {
    const isExplained = [...document.querySelectorAll('[role=status]')].some((status) =>
      status.textContent.includes(text),
    );
    if (isExplained) sessionStorage.setItem('test.explained', 'yes');
  };
  new MutationObserver(note).observe(document, { childList: true, subtree: true, characterData: true });
}

/** The header of each sign-in that the page sends: the offer, or a task with its solution. */
function proofsOf(page: Page): (string | undefined)[] {
  const proofs: (string | undefined)[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/auth/login')) proofs.push(request.headers()[proofOfWorkHeader.toLowerCase()]);
  });
  return proofs;
}

/** Signs in during a flood, which ends with the response that admits the user. */
async function signInDuringFlood(page: Page, email: string): Promise<void> {
  const admitted = page.waitForResponse((response) => response.url().endsWith('/auth/login') && response.ok());
  scheduler.flood();
  await signIn(page, email);
  await admitted.finally(scheduler.end);
}

test('a browser solves the task of a flooded service by itself, and explains the wait', async () => {
  const { email } = await register(site.server);
  const page = await site.visit('/', { prepare: (fresh) => fresh.addInitScript(noteExplanation, explanation) });
  const proofs = proofsOf(page);
  await signInDuringFlood(page, email);
  await expect.poll(() => page.evaluate(() => sessionStorage.getItem('test.explained'))).toBe('yes');
  await page.waitForURL('**/computers/add/');
  expect(proofs).toEqual([readyForTask, expect.stringMatching(/^13\.[\w.-]+:\d+(?:\.\d+){7}$/)]);
});

test('a browser that cannot solve tasks waits for its turn', async () => {
  const { email } = await register(site.server);
  const page = await site.visit('/', {
    prepare: (page) =>
      page.addInitScript(() => {
        window.Worker = class {
          constructor() {
            throw new Error('no workers');
          }
        } as unknown as typeof Worker;
      }),
  });
  const proofs = proofsOf(page);
  scheduler.flood();
  await signIn(page, email);
  await expect.poll(() => proofs).toEqual([readyForTask, undefined]);
  scheduler.end();
  await page.waitForURL('**/computers/add/');
});
