import { useEffect, useState } from 'react';
import { minutes } from '../../contract/durations.ts';
import { sessionHintCookie, sharedHint } from '../../contract/pages/cookies.ts';
import { sharedIdleLifetime } from '../../contract/sign-in/lifetimes.ts';
import { readCookie } from '../platform/cookies.ts';
import { browserStorage } from '../platform/storage.ts';
import { after } from '../platform/timer.ts';
import { mayHaveSession, sessionLost } from './session.ts';
import { endIdleSession } from './session-requests.ts';

/**
 * Whether the session ended, in another tab or before the browser restored this page from its history. The page then
 * hides its content until the sign-in page arrives.
 */
export function useSessionEnd(): boolean {
  const [over, setOver] = useState(false);
  useEffect(endWhenIdle, []);
  useEffect(() => {
    const look = () => setOver(!mayHaveSession());
    const comeBack = ({ persisted }: PageTransitionEvent) => persisted && look();
    const unfollow = sessionLost.follow(look);
    addEventListener('pageshow', comeBack);
    return () => {
      unfollow();
      removeEventListener('pageshow', comeBack);
    };
  }, []);
  return over;
}

const touches = ['pointerdown', 'keydown', 'wheel'] as const;
/** How often a tab in use stores the time of its last input, so that other tabs do not end the session. */
const notedEvery = minutes(1);

/** An idle page polls, which keeps its session alive. On a shared computer the page therefore ends the session. */
function endWhenIdle(): (() => void) | undefined {
  if (readCookie(sessionHintCookie) !== sharedHint) return undefined;
  let stop = after(sharedIdleLifetime, look);
  let noted = 0;
  const touched = () => {
    stop();
    stop = after(sharedIdleLifetime, look);
    if (Date.now() - noted < notedEvery) return;
    noted = Date.now();
    browserStorage.write('touched_at', String(noted));
  };
  /** Ends the session, unless another tab is in use. */
  function look(): void {
    const left = Number(browserStorage.read('touched_at') ?? 0) + sharedIdleLifetime - Date.now();
    if (left > 0 && left <= sharedIdleLifetime) stop = after(left, look);
    else end();
  }
  for (const touch of touches) addEventListener(touch, touched, { passive: true });
  return () => {
    stop();
    for (const touch of touches) removeEventListener(touch, touched);
  };
}

function end(): void {
  endIdleSession().catch(console.error);
}
