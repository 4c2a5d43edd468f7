import type { readAccount } from '../contract/account.ts';
import type { ResponseBody } from '../contract/endpoint.ts';
import css from './identity.module.css';
import { initialsOf } from './initials.ts';

/** Who is signed in: initials, name and email address. Keeps its height while the account is being read. */
export const Identity = ({
  account,
}: {
  account: Pick<ResponseBody<typeof readAccount>, 'name' | 'email'> | undefined;
}) => (
  <div className={css.identity}>
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
