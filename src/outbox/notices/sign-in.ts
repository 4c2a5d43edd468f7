import {
  button,
  code,
  details,
  type EmailContent,
  type EmailContext,
  paragraph,
  type RequestOrigin,
  recoveryAddress,
  requestOriginDetails,
} from '../email/email-content.ts';

/** The first sign-in, others batched with it, and the number of further ones that are only counted. */
export interface SignIns extends RequestOrigin {
  readonly others?: readonly RequestOrigin[];
  readonly more?: number;
}

/** Informs the owner about sign-ins on new devices, and what to do if it was someone else. */
export const newDevice = (writing: EmailContext, { others = [], more = 0, ...first }: SignIns): EmailContent => {
  const { say, product } = writing;
  return {
    subject: say('mail.new_device.subject', { product: product.name }),
    body: [
      paragraph(say('mail.new_device.lead')),
      ...[first, ...others].map((signIn) => requestOriginDetails(writing, signIn)),
      ...(more > 0 ? [paragraph(say('mail.new_device.more', { count: String(more) }))] : []),
      paragraph(say('mail.new_device.you')),
      paragraph(say('mail.new_device.not_you')),
      button(say('mail.new_device.button'), recoveryAddress(writing)),
    ],
  };
};

interface LetInDevice extends RequestOrigin {
  /** The name of the application that the device runs. */
  readonly app: string;
}

/** Informs the owner about a device that was signed in with a code, and what to do if it was someone else. */
export const deviceLetIn = (writing: EmailContext, { app, ...origin }: LetInDevice): EmailContent => {
  const { say, product } = writing;
  return {
    subject: say('mail.device_let_in.subject', { product: product.name }),
    body: [
      paragraph(say('mail.device_let_in.lead', { app })),
      requestOriginDetails(writing, origin),
      paragraph(say('mail.phone_changed.not_you')),
      button(say('mail.phone_changed.button'), recoveryAddress(writing)),
    ],
  };
};

/**
 * Warns the owner that a client presented a session's refresh token a second time (RFC 9700, section 4.14.2); `when` in
 * ms since the epoch.
 */
export const sessionReused = (
  writing: EmailContext,
  { ip, when }: { readonly ip: string; readonly when: number },
): EmailContent => {
  const { say, product, dateTime } = writing;
  return {
    subject: say('mail.session_reused.subject', { product: product.name }),
    body: [
      paragraph(say('mail.session_reused.lead')),
      details([say('mail.detail.address', { ip }), say('mail.detail.when', { when: dateTime(when) })]),
      paragraph(say('mail.session_reused.advice')),
      button(say('mail.password_changed.button'), recoveryAddress(writing)),
    ],
  };
};

interface SignInCode extends RequestOrigin {
  /** Six digits. */
  readonly code: string;
}

/**
 * A code to type instead of the password, in the browser that requested it. It has no link, since an attacker could
 * lure someone else into opening one.
 */
export const signInCode = (writing: EmailContext, asked: SignInCode): EmailContent => {
  const { say, product } = writing;
  return {
    subject: say('mail.sign_in_code.subject', { code: asked.code, product: product.name }),
    body: [
      paragraph(say('mail.sign_in_code.lead')),
      code(asked.code),
      paragraph(say('mail.sign_in_code.validity')),
      requestOriginDetails(writing, asked),
      paragraph(say('mail.sign_in_code.not_you')),
    ],
  };
};

/** `kept`: a requested removal was stopped; `lost`: it took effect. */
export type SecondStepChange = 'added' | 'removed' | 'renewed' | 'kept' | 'lost';

interface ChangedSecondStep {
  readonly change: SecondStepChange;
  readonly when: number;
  /** Undefined if the service itself or an operator made the change. */
  readonly origin?: RequestOrigin | undefined;
}

/** Notifies the owner of a change to the second step, and how to get back in if it was someone else. */
export const secondStepChanged = (writing: EmailContext, { change, when, origin }: ChangedSecondStep): EmailContent => {
  const { say, product, dateTime } = writing;
  return {
    subject: subjectOf(change, say, product.name),
    body: [
      paragraph(leads[change](say, dateTime(when))),
      ...(origin ? [requestOriginDetails(writing, { ...origin, when: undefined })] : []),
      paragraph(say('mail.phone_changed.not_you')),
      button(say('mail.phone_changed.button'), recoveryAddress(writing)),
    ],
  };
};

function subjectOf(change: SecondStepChange, say: EmailContext['say'], product: string): string {
  if (change === 'kept') return say('mail.second_step_changed.kept_subject', { product });
  if (change === 'renewed') return say('mail.second_step_changed.renewed_subject', { product });
  return say('mail.second_step_changed.subject', { product });
}

/** One call for each text, so that the build finds its id. */
const leads: Record<SecondStepChange, (say: EmailContext['say'], when: string) => string> = {
  added: (say, when) => say('mail.second_step_changed.added', { when }),
  removed: (say, when) => say('mail.second_step_changed.removed', { when }),
  renewed: (say, when) => say('mail.second_step_changed.renewed', { when }),
  kept: (say, when) => say('mail.second_step_changed.kept', { when }),
  lost: (say, when) => say('mail.second_step_changed.lost', { when }),
};

interface PlannedRemoval {
  /** When it takes effect, in milliseconds since the epoch. */
  readonly when: number;
  /** Stops it. */
  readonly link: string;
  /** Where the request came from; undefined if an operator made it. */
  readonly origin?: RequestOrigin | undefined;
}

/** Notifies the owner that someone requested the removal of the second step, and lets them stop it. */
export const secondStepRemoval = (writing: EmailContext, { when, link, origin }: PlannedRemoval): EmailContent => {
  const { say, product, dateTime } = writing;
  return {
    subject: say('mail.second_step_removal.subject', { product: product.name }),
    body: [
      paragraph(say('mail.second_step_removal.lead', { when: dateTime(when) })),
      ...(origin ? [requestOriginDetails(writing, origin)] : []),
      paragraph(say('mail.second_step_removal.not_you')),
      button(say('mail.second_step_removal.button'), link),
    ],
  };
};
