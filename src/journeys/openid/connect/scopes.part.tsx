import { Text } from '../../../browser/language/text.tsx';
import type { Scope } from '../../../contract/openid-scopes.ts';
import type { MessageId } from '../../../messages/ids.ts';
import css from './scopes.module.css';

const words: Readonly<Record<Scope, MessageId>> = {
  openid: 'connect.scope_openid',
  profile: 'connect.scope_profile',
  email: 'connect.scope_email',
  phone: 'connect.scope_phone',
  groups: 'connect.scope_groups',
  offline_access: 'connect.scope_offline_access',
};

interface ScopesProps {
  readonly scopes: readonly Scope[];
  /** Uses the type size of the details beside it. */
  readonly small?: boolean;
}

/** The data that an application receives, one line for each scope. */
export const Scopes = ({ scopes, small = false }: ScopesProps) => (
  <ul className={small ? css.small : css.scopes}>
    {scopes.map((scope) => (
      <li key={scope}>
        <Text id={words[scope]} />
      </li>
    ))}
  </ul>
);
