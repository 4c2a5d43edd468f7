import { userInfo } from 'node:os';
import { join } from 'node:path';
import { folder } from '../data-folder.mjs';
import { commandLine, xml } from './background-service.mjs';

/** @import { BackgroundService } from './background-service.mjs' */

/** @returns {BackgroundService} A task at sign-in, which needs no administrator; conhost hides the console window. */
export function windowsTask() {
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
