import type { readAccount } from '../contract/account.ts';
import type { ResponseBody } from '../contract/endpoint.ts';
import css from './signed-in-user.module.css';

/** Who is signed in: initials, name and email address. Keeps its height while the account is being read. */
export const SignedInUser = ({
  account,
}: {
  account: Pick<ResponseBody<typeof readAccount>, 'name' | 'email'> | undefined;
}) => (
  <div className={css.user}>
    <span className={css.initials} aria-hidden="true">
      {account && initialsOf(account.name || account.email)}
    </span>
    <span className={css.who}>
      <bdi className={css.name}>{account?.name}</bdi>
      <bdi className={css.email} dir="ltr">
        {account?.email}
      </bdi>
    </span>
  </div>
);

/** Scripts whose names are abbreviated to capital letters. */
const abbreviated = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u;

/** Initials of a name: of its first and last word, or its first character in scripts without capitals. */
export function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/u);
  const [first = '', last = ''] = [words[0], words.length > 1 ? words.at(-1) : ''].map(
    (word = '') => [...word.normalize()][0] ?? '',
  );
  const letters = abbreviated.test(first) && abbreviated.test(last) ? first + last : first;
  return letters.toUpperCase();
}
