import type { PageSettings } from '../../contract/settings.ts';
import { accessToken, mayHaveSession } from '../requests/session.ts';
import { type Detour, runMiddleware } from './middleware.ts';
import { ruledDetour } from './redirect-rule.ts';
import { PageNotFound, type Place } from './route.ts';

/**
 * Decides whether a page may be shown: looks for a session, asks the operator's redirect rules, and runs the route's
 * middleware and validation. Resolves to a detour or undefined; throws `PageNotFound`.
 */
export async function guard(place: Place, settings: PageSettings): Promise<Detour | undefined> {
  if (!place.route.withoutSession) await lookForSession();
  const detour = (settings.redirectRules && (await askRules(place))) || (await runMiddleware(place));
  if (detour) return detour;
  if (place.route.validate && !(await place.route.validate(place))) throw new PageNotFound(place.url.pathname);
  return undefined;
}

/** Ignores a refusal: `refreshSession` has recorded it, and pages of an account require a token. */
async function lookForSession(): Promise<void> {
  if (accessToken() !== undefined || !mayHaveSession()) return;
  const { refreshSession } = await import('../requests/session-requests.ts');
  await refreshSession().catch(() => undefined);
}

async function askRules(place: Place): Promise<Detour | undefined> {
  try {
    return await ruledDetour(place);
  } catch (failure) {
    console.warn('no response about redirect rules', failure);
    return undefined;
  }
}
