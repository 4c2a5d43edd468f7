/**
 * Works on each item, even if the work fails for others: an account that causes an error must not stop the service for
 * all. Throws the first error at the end.
 */
export async function eachApart<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  const errors: unknown[] = [];
  for (const item of items) await work(item).catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}
