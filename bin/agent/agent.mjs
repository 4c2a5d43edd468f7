#!/usr/bin/env node
// The reference agent: adds this computer to an account, sends heartbeats, and reports harmless facts.
// One file without dependencies, for Node 20 or newer; the build assembles it from small modules (bin/agent/).
// docs/agents.md explains how to write another agent.
import { inspect } from 'node:util';
import { install, printService, uninstall } from './background/install.mjs';
import { enrolmentCode, options, subcommand, usage } from './command-line.mjs';
import { enrol, printStatus, remove } from './membership.mjs';
import { run } from './report.mjs';
import { say, UserError } from './terminal.mjs';

const subcommands = new Map(
  /** @type {[string, () => void | Promise<void>][]} */ ([
    ['install', () => install(enrolmentCode)],
    ['uninstall', uninstall],
    ['enrol', () => enrol(enrolmentCode)],
    ['run', run],
    ['status', printStatus],
    ['remove', remove],
    ['service', printService],
  ]),
);

try {
  const chosen = subcommands.get(subcommand);
  if (options.help) say(usage);
  else if (chosen) await chosen();
  else throw new UserError(usage);
} catch (error) {
  process.stderr.write(`${error instanceof UserError ? error.message : inspect(error)}\n`);
  process.exitCode = 1;
}
