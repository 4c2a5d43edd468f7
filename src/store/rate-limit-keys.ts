/**
 * Every rate limit in the database, with the subject that it counts by. Those of an account or of a proven email address
 * are deleted with the account. The others also protect other people, so they only expire.
 */
const subjects = {
  enrolment: 'account',
  'email-change': 'account',
  'email-change-to': 'email',
  'alarm-test': 'account',
  'second-step-lost': 'email',
  'email-confirmation': 'email',
  'notices-to': 'email',
  'undo-links-to': 'email',
  recovery: 'email',
  'recovery-by': 'source',
  code: 'email',
  'code-by': 'source',
  'code-day': 'email',
  'phone-mail': 'email',
  // A solved task, which one request may use.
  task: 'source',
  'phone-rings': 'phone',
  'phone-messages': 'phone',
  'phone-accounts-rings': 'phone',
  'phone-accounts-messages': 'phone',
  'phone-way': 'phone',
  'phone-wrong': 'phone',
  'phone-confirmed': 'phone',
  'phone-pause': 'phone',
  'phone-tries': 'phone',
  'phone-checks': 'phone',
  'phone-attempts': 'phone',
  'phone-attempts-of': 'source',
  'phone-address': 'source',
  'phone-day': 'source',
} as const satisfies Record<string, 'account' | 'email' | 'phone' | 'source'>;

type LimitName = keyof typeof subjects;
type Subject = (typeof subjects)[LimitName];

const names = Object.keys(subjects) as LimitName[];

/** The key of a limit. Its subject comes first; further criteria may follow. */
export const limitKey = (name: LimitName, ...countedBy: readonly [subject: string, ...others: string[]]): string =>
  [name, ...countedBy].join(':');

/** Prefix of the keys of limits that look back more than a day, up to a week. */
export const countedForAWeek = 'week:';

/** The key of a cap against toll fraud. Prefixes, countries and networks have no owner, so these only expire. */
export const weeklyKey = (
  name: 'prefix' | 'country' | 'network' | 'elsewhere',
  ...countedBy: readonly string[]
): string => countedForAWeek + [name, ...countedBy].join(':');

/** The key of the daily budget for all phone confirmations together. */
export const budgetKey = 'phone-calls';

/** The keys of all limits of a subject. Keys with further criteria begin with one of these. */
export const limitKeysOf = (subject: Subject, id: string): string[] =>
  names.filter((name) => subjects[name] === subject).map((name) => limitKey(name, id));
