import { homedir } from 'node:os';
import { join } from 'node:path';
import { commandLine, isForSystem, xml } from './background-service.mjs';

/** @import { BackgroundService } from './background-service.mjs' */

/** @returns {BackgroundService} A daemon for root, otherwise a user’s agent (launchd.plist(5)). */
export function launchdAgent() {
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
