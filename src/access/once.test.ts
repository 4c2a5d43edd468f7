import { describe, expect, test } from 'vitest';
import { statusAndCode } from '../testing/client.ts';
import { usualEngines } from '../testing/databases/databases.ts';
import { liveSessions, overAfter, sameIn, singleUseSteps } from '../testing/single-use-steps.ts';
import { openTestServer } from '../testing/test-server.ts';

describe.each(usualEngines)('a step that works once, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test.each(singleUseSteps)('gets the same result at once and again: $name', async (step) => {
    const { browser, email, path, body } = await step.prepare(server);
    if (!browser.cookies.has('csrf_token')) await browser.get('/auth/csrf');
    const [before, late, other] = [await liveSessions(server, email), browser.copy(), server.client()];
    const both = await Promise.all([1, 2].map(() => browser.copy().post(path, body)));
    const again = await browser.copy().post(path, body);
    expect(both.map(({ status }) => status)).toEqual([step.status, step.status]);
    const [first, second] = both.map(sameIn);
    expect([second, sameIn(again)]).toEqual([first, first]);
    if (step.sessions) expect(await liveSessions(server, email)).toBe(before + step.sessions);
    if (!step.elsewhere) return;
    expect(statusAndCode(await other.post(path, body))).toBe(step.elsewhere);
    server.forward(overAfter);
    expect(statusAndCode(await late.post(path, body))).toBe(step.elsewhere);
  });
});
