import { useEffect, useEffectEvent, useState } from 'react';
import { type QueryChanges, useQuery } from './navigation.tsx';

/** Milliseconds without typing before the address takes the text of a search. */
const settled = 400;

/** The text of a search field, and a function that changes it; the address follows once the user stops typing. */
export function useTypedParameter(
  name: string,
  /** Other changes of the address that follow. */
  also: QueryChanges = {},
): readonly [text: string, type: (text: string) => void] {
  const { query, change } = useQuery();
  const kept = query.get(name) ?? '';
  const [typed, setTyped] = useState({ text: kept, kept, sent: kept });
  // The address may change on its own: by a link, or by Back. While someone types, it is behind.
  if (typed.kept !== kept) setTyped({ ...typed, kept, ...(kept !== typed.sent && { text: kept, sent: kept }) });
  const { text } = typed;
  const send = useEffectEvent(() => {
    setTyped((before) => ({ ...before, sent: text }));
    change({ ...also, [name]: text });
  });
  useEffect(() => {
    if (text === kept) return undefined;
    const timer = setTimeout(send, settled);
    return () => clearTimeout(timer);
  }, [text, kept]);
  return [text, (next) => setTyped((before) => ({ ...before, text: next }))];
}
