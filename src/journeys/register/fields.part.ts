import type { Form } from '../../browser/forms/form.ts';

/** Initial values of all fields, in the order of the error summary. */
export const empty = {
  name: '',
  email: '',
  password: '',
  password_repeat: '',
  phone: '',
  phone_region: '',
  phone_confirmation: '',
  organization: '',
  inn: '',
  promo_code: '',
  consent_personal_data: false,
  consent_offers: false,
};

export type RegisterForm = Form<typeof empty>;

/** Labels of the fields whose messages do not name the field. */
export const labels = {
  name: 'label.name',
  phone: 'label.phone',
  organization: 'label.organization',
  inn: 'label.inn',
  promo_code: 'label.promo_code',
  password_repeat: 'label.password_repeat',
} as const;
