import type { PageSettings } from '../../contract/settings.ts';

/** Fixed settings, so that a state looks the same on every machine. */
export const pageSettings: PageSettings = {
  productName: 'Vestibule',
  publicUrl: 'https://example.com',
  supportEmail: 'support@example.com',
  privacyUrl: 'https://example.com/privacy',
  termsUrl: 'https://example.com/terms',
  passwordMinLength: 6,
  phoneConfirmation: 'required',
  phoneWays: ['ring'],
  devices: true,
  smartphoneApp: undefined,
  mailCode: false,
  secondStepRemovalHours: 24,
  deletionGraceDays: 7,
  passkeys: true,
  secondStep: true,
  redirectRules: false,
  developmentInbox: false,
};
