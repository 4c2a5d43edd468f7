import { type Config, settingNames } from './config.ts';
import { namesInFile } from './environment.ts';
import { settings } from './settings.ts';

export interface SettingInForce {
  readonly name: string;
  /** Null if it is not set, or secret. */
  readonly value: string | null;
  readonly from: 'environment' | 'file' | 'default';
  readonly secret: boolean;
  /** With secrets, to notice a change; never shown. */
  readonly text: string;
}

/** Names of settings with secrets. A test lists them all, so that each new setting is one or not. */
export const isSecret = (name: string): boolean =>
  /SECRET|PEPPER|TOKEN|PASSWORD$|_KEY$|_SID$|_ID$|HEADERS|_LOGIN$|_USER$/.test(name) && name !== 'WEBAUTHN_RP_ID';

/** Users and passwords in URLs. */
const withoutUsers = (text: string): string =>
  text.replaceAll(/(\w+:\/\/)[^/\s]*@/g, '$1…@').replaceAll(/(password|secret|key|token)=[^&\s]*/gi, '$1=…');

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** Every setting, and where its value comes from. */
export function settingsInForce(config: Config): readonly SettingInForce[] {
  const inFile = namesInFile();
  return settingNames.map((name) => {
    const text = textOf(config[name]);
    const secret = isSecret(name);
    return {
      name,
      value: secret || text === '' ? null : withoutUsers(text),
      from: sourceOf(name, { text, inFile }),
      secret,
      text,
    };
  });
}

function sourceOf(
  name: (typeof settingNames)[number],
  { text, inFile }: { text: string; inFile: ReadonlySet<string> },
): SettingInForce['from'] {
  if (process.env[name]?.trim()) return 'environment';
  if (inFile.has(name)) return 'file';
  const { data } = settings[name].safeParse(undefined);
  return text === textOf(data) || text === '' ? 'default' : 'environment';
}
