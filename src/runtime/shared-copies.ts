/**
 * Makes a value for each key and shares it while anything uses it, such as a response that a slow client has not read:
 * memory grows with the number of keys, not with that of the clients.
 */
export function shareCopies<Key, Value extends object>(make: (key: Key) => Value): (key: Key) => Value {
  const copies = new Map<Key, WeakRef<Value>>();
  return (key) => {
    const found = copies.get(key)?.deref();
    if (found) return found;
    const made = make(key);
    copies.set(key, new WeakRef(made));
    return made;
  };
}
