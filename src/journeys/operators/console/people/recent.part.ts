import { tabStorage } from '../../../../browser/platform/storage.ts';

interface RecentPerson {
  readonly id: string;
  readonly name: string;
}

const most = 6;
/** A draft, so that it is forgotten when the operator signs out. */
const key = 'draft.console.recent';

/** The people whom this tab has shown last, the last first. */
export function readRecent(): readonly RecentPerson[] {
  const { people } = tabStorage.readRecord(key);
  return Array.isArray(people) ? people : [];
}

export function keepRecent({ id, name }: RecentPerson): void {
  const people = [{ id, name }, ...readRecent().filter((other) => other.id !== id)].slice(0, most);
  tabStorage.write(key, JSON.stringify({ people }));
}
