import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { folder, installed, removedExit } from './data-folder.mjs';
import { commandOf, options } from './terminal.mjs';

/**
 * How a system starts programs in the background. `start` and `stop` are commands; one that begins with `-` may fail.
 * @typedef {{ file: string, text: string, start: string[][], stop: string[][] }} BackgroundService
 */

/** What a service manager runs. */
const commandLine = () => [...commandOf(installed), 'run', '--data', folder];

/** Whether the service belongs to the system. */
export const isForSystem = () => process.getuid?.() === 0 && !options.user;

const xml = (/** @type {string} */ text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** systemd expands `%` and `$`, also within quotes (systemd.service(5), section “Command lines”). */
const unitWord = (/** @type {string} */ word) =>
  `"${word.replace(/["\\]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`;

/** @returns {BackgroundService} A system unit for root, otherwise a user unit (systemd.unit(5)). */
function systemdUnit() {
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

/** @returns {BackgroundService} A daemon for root, otherwise a user’s agent (launchd.plist(5)). */
function launchdAgent() {
  const parent = isForSystem() ? '/Library/LaunchDaemons' : join(homedir(), 'Library', 'LaunchAgents');
  const file = join(parent, 'vestibule-agent.plist');
  const domain = isForSystem() ? 'system' : `gui/${process.getuid?.() ?? ''}`;
  const bootout = ['-launchctl', 'bootout', `${domain}/vestibule-agent`];
  const words = commandLine().map((word) => `<string>${xml(word)}</string>`);
  return {
    file,
    text: `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
  <key>Label</key><string>vestibule-agent</string>
  <key>ProgramArguments</key>
  <array>${words.join('')}</array>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>ThrottleInterval</key><integer>10</integer>
  <key>ExitTimeOut</key><integer>30</integer>
</dict></plist>
`,
    start: [bootout, ['launchctl', 'bootstrap', domain, file]],
    stop: [bootout],
  };
}

/** @returns {BackgroundService} A task at sign-in, which needs no administrator; conhost hides the console window. */
function windowsTask() {
  const name = 'vestibule-agent';
  const file = join(folder, 'task.xml');
  const words = ['--headless', ...commandLine().map((word) => `"${word}"`)].join(' ');
  const user = xml(`${process.env.USERDOMAIN ?? '.'}\\${userInfo().username}`);
  return {
    file,
    text: `<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <Triggers><LogonTrigger><Repetition><Interval>PT5M</Interval></Repetition><UserId>${user}</UserId></LogonTrigger></Triggers>
  <Principals><Principal id="Author"><UserId>${user}</UserId><LogonType>InteractiveToken</LogonType><RunLevel>LeastPrivilege</RunLevel></Principal></Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure><Interval>PT1M</Interval><Count>3</Count></RestartOnFailure>
  </Settings>
  <Actions Context="Author"><Exec><Command>conhost.exe</Command><Arguments>${xml(words)}</Arguments></Exec></Actions>
</Task>
`,
    start: [
      ['schtasks', '/create', '/f', '/tn', name, '/xml', file],
      ['schtasks', '/run', '/tn', name],
    ],
    stop: [
      ['-schtasks', '/end', '/tn', name],
      ['-schtasks', '/delete', '/f', '/tn', name],
    ],
  };
}

/** @type {Record<string, () => BackgroundService>} By platform. */
export const services = { linux: systemdUnit, macos: launchdAgent, windows: windowsTask };
