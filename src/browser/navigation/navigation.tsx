import { type AnchorHTMLAttributes, createContext, type MouseEvent, type ReactNode, useContext } from 'react';
import { pathIn } from '../../contract/languages.ts';
import type { Unanswered } from './follow.ts';
import { usePage } from './page.tsx';

/** How the page that is shown leads to others. */
export interface Navigation {
  /** Goes to an address of ours, as the address bar has it: `/de/register/`. */
  readonly travel: (address: string) => void;
  /** Loads what the page of an address needs. */
  readonly prefetch: (address: string) => void;
  /** The next page is taking longer than a second. */
  readonly slow: boolean;
  /** Why the next page does not come. */
  readonly unanswered: Unanswered | undefined;
}

export const NavigationContext = createContext<Navigation | undefined>(undefined);

const useNavigation = (): Navigation => useContext(NavigationContext) as Navigation;

/** What to show of the way to the next page. */
export const useProgress = (): Pick<Navigation, 'slow' | 'unanswered'> => useNavigation();

/** `go('/register/')`: to a page in the language that is shown. */
export function useGo(): (to: string) => void {
  const { travel } = useNavigation();
  const { language } = usePage();
  return (to) => travel(pathIn(language, to));
}

type Anchor = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> & { children?: ReactNode };

/** A real link to a page in the language that is shown: `<Link to="/register/">`. */
export function Link({ to, ...anchor }: Anchor & { to: string }): ReactNode {
  const { language } = usePage();
  return <AddressLink address={pathIn(language, to)} {...anchor} />;
}

/** A real link that is followed without loading the window anew, and fetches its page when it is likely to be. */
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
