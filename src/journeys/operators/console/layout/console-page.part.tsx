import { type ReactNode, useEffect, useEffectEvent } from 'react';
import { Text } from '../../../../browser/language/text.tsx';
import { useGo } from '../../../../browser/navigation/navigation.tsx';
import { cell, useCell } from '../../../../browser/platform/storage.ts';
import { useAccount } from '../../../../browser/requests/account.ts';
import type { RequestFailure } from '../../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../../browser/requests/send-request.ts';
import type { ResponseBody } from '../../../../contract/endpoint.ts';
import { isRoleEnough, type OperatorRole } from '../../../../contract/operators.ts';
import type { MessageId } from '../../../../messages/ids.ts';
import type { FailureMessage } from '../../../../messages/proofs.ts';
import { Failed, Notice } from '../../../../ui/feedback/feedback.tsx';
import { icon } from '../../../../ui/icons.tsx';
import { AccountUnread, SignedInLayout } from '../../../../ui/layouts/account-layout.tsx';
import { Title } from '../../../../ui/layouts/card.tsx';
import { PageHead } from '../../../../ui/layouts/page-head.tsx';
import type { MenuPlace } from '../../../../ui/layouts/places.tsx';
import { useRead } from '../../../account/read.part.tsx';
import { readOperator } from '../../operators.contract.ts';
import css from './console-page.module.css';

type Operator = ResponseBody<typeof readOperator>;

/** The operator as this tab read them last. */
const knownOperator = cell<Operator | undefined>(undefined);

export const roleNames = {
  viewer: 'console.role_viewer',
  support: 'console.role_support',
  owner: 'console.role_owner',
} as const satisfies Record<OperatorRole, MessageId>;

const People = icon(
  <>
    <circle cx="8" cy="6.8" r="3.2" />
    <path d="M2 16.5c.6-3.1 2.9-4.7 6-4.7s5.4 1.6 6 4.7M13.5 3.9a3 3 0 0 1 0 5.8M15.5 12.2c1.5.7 2.300 2.200 2.600 4.300" />
  </>,
);

const Log = icon(<path d="M4.5 2.5h11v15h-11zM7.5 6.5h5M7.5 10h5M7.5 13.5h3" />);

const Shield = icon(<path d="M10 2.5l6 2.2v4.6c0 4-2.4 6.8-6 8.2-3.6-1.4-6-4.2-6-8.2V4.7z" />);

const Sun = icon(
  <>
    <circle cx="10" cy="10" r="3.5" />
    <path d="M10 2v2M10 16v2M2 10h2M16 10h2M4.3 4.3l1.4 1.4M14.3 14.3l1.4 1.4M4.3 15.7l1.4-1.4M14.3 5.7l1.4-1.4" />
  </>,
);

const Rows = icon(<path d="M3 4h14v4H3zM3 12h14v4H3zM6 6h1M6 14h1" />);

interface ConsolePlace extends MenuPlace {
  readonly role: OperatorRole;
}

const places: readonly ConsolePlace[] = [
  { to: '/console/', below: '/console/people/', label: 'console_people.page', icon: <People />, role: 'viewer' },
  { to: '/console/today/', label: 'console_today.page', icon: <Sun />, role: 'viewer' },
  { to: '/console/service/', label: 'console_service.page', icon: <Rows />, role: 'support' },
  { to: '/console/audit/', label: 'console_audit.page', icon: <Log />, role: 'support' },
  { to: '/console/operators/', label: 'console_operators.page', icon: <Shield />, role: 'owner' },
];

interface ConsolePageProps {
  /** Default: the page's own. */
  title: ReactNode;
  lead?: ReactNode;
  actions?: (operator: Operator) => ReactNode;
  /** Rendered once the role is known. */
  children: (operator: Operator) => ReactNode;
}

/** A page of the console: its menu, who uses it in which role, and the page's title. */
export function ConsolePage({ title, lead, actions, children }: ConsolePageProps) {
  useAccount();
  const kept = useCell(knownOperator, () => undefined);
  const read = useRead(async (signal) => {
    const operator = await sendRequest(readOperator, { signal });
    knownOperator.write(operator);
    return operator;
  });
  const operator = read.response ?? kept;
  useFindKey();
  return (
    <SignedInLayout
      wide
      home="/console/"
      name="console.name"
      places={places.filter(({ role }) => operator && isRoleEnough(operator.role, role))}
      heading={
        <p className={css.who}>
          <Text id="console.name" />
          {operator && (
            <span className={css.role}>
              <Text id={roleNames[operator.role]} />
            </span>
          )}
        </p>
      }
    >
      <PageHead lead={lead} actions={operator && actions?.(operator)}>
        <Title>{title}</Title>
      </PageHead>
      {operator && !read.failure ? children(operator) : <ConsoleUnread failure={read.failure} retry={read.again} />}
    </SignedInLayout>
  );
}

/** The id of the field that finds people. */
export const findField = 'find';

/** Whether the page of people takes the focus to its field. */
let wantsFind = false;

export function takeWish(): boolean {
  const wanted = wantsFind;
  wantsFind = false;
  return wanted;
}

/** `/` leads to the field that finds people, from wherever nothing is typed. */
function useFindKey(): void {
  const go = useGo();
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
    if ((event.target as Element).closest('input, textarea, select, dialog')) return;
    event.preventDefault();
    const field = document.getElementById(findField);
    if (field) return field.focus();
    wantsFind = true;
    go('/console/');
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event);
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}

/** Failures that only operators get in a browser, so that the texts of other pages do not contain them. */
const ownTexts: Readonly<Record<string, MessageId>> = {
  role_insufficient: 'console.not_allowed',
  last_owner: 'console.last_owner',
  invitation_invalid: 'console_invitation.invalid',
  promo_code_exists: 'console_promo.exists',
  webhook_exists: 'console_webhooks.exists',
  webhook_limit_reached: 'console_webhooks.limit',
};

const textsOfJobs: Readonly<Record<string, MessageId>> = {
  ...ownTexts,
  not_found: 'console_person.gone',
  too_many_mails: 'console_job.too_many_mails',
};

/** Why an act for one of several people failed. */
export const reasonOf = (code: string): MessageId => textsOfJobs[code] ?? (`failure.${code}` as FailureMessage);

/** Explains why a request of an operator failed. */
export function ConsoleFailed({ failure }: { failure: RequestFailure | undefined }) {
  const own = failure && ownTexts[failure.code];
  if (!own) return <Failed failure={failure} />;
  return <Notice kind="danger" role="alert" text={own} />;
}

/** Replaces what is loading, or says why it failed to load. */
export const ConsoleUnread = ({ failure, retry }: { failure: RequestFailure | undefined; retry: () => void }) =>
  failure && ownTexts[failure.code] ? (
    <ConsoleFailed failure={failure} />
  ) : (
    <AccountUnread failure={failure} retry={retry} />
  );
