import { pathIn } from '../../contract/languages.ts';
import { useNavigation } from './navigation.tsx';
import { usePage } from './page.tsx';

/** Changes of a query; undefined and empty values remove their parameter. */
export type QueryChanges = Readonly<Record<string, string | undefined>>;

/** The query of the page's address, its address after changes, and a function that makes them in the current entry. */
export function useQuery() {
  const { path, search, language } = usePage();
  const { replace } = useNavigation();
  const query = new URLSearchParams(search);
  const addressWith = (changes: QueryChanges): string => {
    const next = new URLSearchParams(search);
    for (const [name, value] of Object.entries(changes)) {
      if (value) next.set(name, value);
      else next.delete(name);
    }
    const text = next.toString();
    return pathIn(language, path) + (text && `?${text}`);
  };
  return { query, addressWith, change: (changes: QueryChanges) => replace(addressWith(changes)) };
}
