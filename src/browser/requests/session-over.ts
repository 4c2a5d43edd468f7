import { useEffect, useState } from 'react';
import { mayHaveSession, sessionLost } from './session.ts';

/**
 * Whether the session ended, be it in another tab or before the browser brought this page back from its history: then
 * nothing of the page is shown any more, while the way leads to the sign-in.
 */
export function useSessionOver(): boolean {
  const [over, setOver] = useState(false);
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
