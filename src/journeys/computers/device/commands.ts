/** Where the service hands out the agent. */
export const agentPath = '/computers/agent.mjs';

const file = 'vestibule-agent.mjs';

/** What adds a computer with a code and has it report, in a terminal; on Windows in PowerShell. */
export function commandsFor(publicUrl: string, code: string) {
  const fetched = `-fsS -o ${file} ${publicUrl}${agentPath}`;
  const enrolled = `node ${file} enrol ${code} --server ${publicUrl}`;
  const unix = `curl ${fetched} && ${enrolled} && node ${file} run`;
  const windows = `curl.exe ${fetched}; if ($?) { ${enrolled} }; if ($?) { node ${file} run }`;
  return {
    command: unix,
    commands: { linux: unix, macos: unix, windows },
    // Behind the # it reaches no server and no log, should a browser open it.
    link: `${publicUrl}/computers/add/#${code}`,
  };
}
