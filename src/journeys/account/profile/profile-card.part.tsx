import { Text } from '../../../browser/language/text.tsx';
import { initialsOf } from '../../../ui/initials.ts';
import { Card } from '../../../ui/layouts/card.tsx';
import type { Account } from '../layout/section.part.tsx';
import { useTimes } from '../lines.part.tsx';
import css from './profile-card.module.css';
import { ProfileForm } from './profile-form.part.tsx';

/** The owner of the account, and the details that change without a proof. */
export function ProfileCard({ account }: { account: Account }) {
  const { day } = useTimes();
  const { name, email, created_at } = account;
  return (
    <Card>
      <div className={css.owner}>
        <span className={css.initials} aria-hidden="true">
          {initialsOf(name || email)}
        </span>
        <div className={css.words}>
          <h2 tabIndex={-1}>
            <bdi>{name || email}</bdi>
          </h2>
          {name !== '' && (
            <p>
              <bdi dir="ltr">{email}</bdi>
            </p>
          )}
          <p className={css.since}>
            <Text id="account.since" dir="auto" values={{ when: day(created_at) }} />
          </p>
        </div>
      </div>
      <ProfileForm account={account} />
    </Card>
  );
}
