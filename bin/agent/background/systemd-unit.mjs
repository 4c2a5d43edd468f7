import { homedir } from 'node:os';
import { join } from 'node:path';
import { folder, removedExit } from '../data-folder.mjs';
import { commandLine, isForSystem } from './background-service.mjs';

/** @import { BackgroundService } from './background-service.mjs' */

/** systemd expands `%` and `$`, also within quotes (systemd.service(5), section “Command lines”). */
const unitWord = (/** @type {string} */ word) =>
  `"${word.replace(/["\\]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`;

/** @returns {BackgroundService} A system unit for root, otherwise a user unit (systemd.unit(5)). */
export function systemdUnit() {
  const system = isForSystem();
  const scope = system ? [] : ['--user'];
  // SELinux lets systemd itself run nothing in a home folder.
  const words = ['/usr/bin/env', ...commandLine()];
  const config = process.env.XDG_CONFIG_HOME ?? join(homedir(), '.config');
  const hardened = `NoNewPrivileges=yes
PrivateTmp=yes
ProtectSystem=strict
ReadWritePaths=${unitWord(folder)}
`;
  // At shutdown, the network stays until the agent has said goodbye.
  const ordered = `Wants=network-online.target
After=network-online.target dbus.service
`;
  return {
    file: join(system ? '/etc/systemd/system' : join(config, 'systemd', 'user'), 'vestibule-agent.service'),
    text: `[Unit]
Description=Vestibule agent
${system ? ordered : ''}
[Service]
ExecStart=${words.map(unitWord).join(' ')}
Restart=always
RestartSec=10
# The computer was removed from the account, so a restart cannot help.
RestartPreventExitStatus=${removedExit}
${system ? hardened : ''}
[Install]
WantedBy=${system ? 'multi-user' : 'default'}.target
`,
    start: [
      ['systemctl', ...scope, 'daemon-reload'],
      ['systemctl', ...scope, 'enable', 'vestibule-agent.service'],
      ['systemctl', ...scope, 'restart', 'vestibule-agent.service'],
      // Otherwise the user's services end when the user signs out.
      ...(system ? [] : [['-loginctl', 'enable-linger']]),
    ],
    stop: [['-systemctl', ...scope, 'disable', '--now', 'vestibule-agent.service']],
  };
}
