import type { requestEnrolment } from '../../contract/computers/enrolments.ts';
import type { ResponseBody } from '../../contract/endpoint.ts';

const command =
  'curl -fsS -o vestibule-agent.mjs https://account.example.com/computers/agent.mjs && node vestibule-agent.mjs install 7K2M-QF8R-0XTB --server https://account.example.com';

/** A code that adds one computer. */
export const enrolment: ResponseBody<typeof requestEnrolment> = {
  code: '7K2M-QF8R-0XTB',
  expires_in: 900,
  command,
  commands: { linux: command, macos: command, windows: command },
  undo: 'node "$HOME/.vestibule-agent/vestibule-agent.mjs" uninstall',
  link: 'https://account.example.com/computers/add/#7K2M-QF8R-0XTB',
};
