import { useRef } from 'react';

/** Loads the contract of a form and the code that checks it, on first use; loads again only after a failure. */
export function useFormCode<Contract>(contract: () => Promise<Contract>) {
  const load = () => Promise.all([contract(), import('./form-check.ts')]);
  const loaded = useRef<ReturnType<typeof load>>(undefined);
  return () => {
    loaded.current ??= load();
    loaded.current.catch(() => {
      loaded.current = undefined;
    });
    return loaded.current;
  };
}
