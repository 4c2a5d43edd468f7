import { type AnchorHTMLAttributes, createContext, type MouseEvent, type ReactNode, useContext } from 'react';
import { pathIn } from '../../contract/languages.ts';
import type { Unanswered } from './follow.ts';
import { usePage } from './page.tsx';

/** Navigation from the current page. */
export interface Navigation {
  /** Goes to a page by its path, with the language prefix: `/de/register/`. */
  readonly travel: (address: string) => void;
  /** The same, instead of the current history entry. */
  readonly replace: (address: string) => void;
  /** Loads the code and payload of the page at an address. */
  readonly prefetch: (address: string) => void;
  /** The next page is taking longer than a second. */
  readonly slow: boolean;
  /** Why the next page does not load. */
  readonly unanswered: Unanswered | undefined;
}

export const NavigationContext = createContext<Navigation | undefined>(undefined);

export const useNavigation = (): Navigation => useContext(NavigationContext) as Navigation;

/** Progress of the navigation to the next page. */
export const useProgress = (): Pick<Navigation, 'slow' | 'unanswered'> => useNavigation();

/** `go('/register/')`: goes to a page in the current language. */
export function useGo(): (to: string) => void {
  const { travel } = useNavigation();
  const { language } = usePage();
  return (to) => travel(pathIn(language, to));
}

type Anchor = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> & { children?: ReactNode };

/** A link to a page in the current language: `<Link to="/register/">`. */
export function Link({ to, ...anchor }: Anchor & { to: string }): ReactNode {
  const { language } = usePage();
  return <AddressLink address={pathIn(language, to)} {...anchor} />;
}

/** A link that navigates without reloading the window and prefetches its page. */
export function AddressLink({ address, onClick, ...anchor }: Anchor & { address: string }): ReactNode {
  const { travel, prefetch } = useNavigation();
  const fetchAhead = () => prefetch(address);
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const elsewhere = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.button !== 0;
    if (elsewhere || event.defaultPrevented) return;
    event.preventDefault();
    travel(address);
  };
  return (
    <a
      {...anchor}
      href={address}
      onClick={follow}
      onPointerEnter={fetchAhead}
      onFocus={fetchAhead}
      onTouchStart={fetchAhead}
    />
  );
}
