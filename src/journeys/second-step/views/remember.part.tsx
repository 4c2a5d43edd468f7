import { useEffect, useState } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import { isSharedComputer } from './complete.part.ts';

/** Skips the second step in this browser for a while; not on a computer that others use. */
export function Remember({ remember, set }: { remember: boolean; set: (remember: boolean) => void }) {
  const [offered, offer] = useState(false);
  useEffect(() => offer(!isSharedComputer()), []);
  if (!offered) return null;
  return (
    <label>
      <input type="checkbox" checked={remember} onChange={({ target }) => set(target.checked)} />
      <Text id="second_step.remember" />
    </label>
  );
}
