import type { Form } from '../../browser/forms/form.ts';

/** Every field of the form, in the order of its summary, with what it holds at first. */
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

/** Of the fields that can have a message which does not say which field it means. */
export const labels = {
  name: 'label.name',
  phone: 'label.phone',
  organization: 'label.organization',
  inn: 'label.inn',
  promo_code: 'label.promo_code',
  password_repeat: 'label.password_repeat',
} as const;
