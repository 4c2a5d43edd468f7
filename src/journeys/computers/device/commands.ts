/** Path at which the service serves the agent. */
export const agentPath = '/computers/agent.mjs';

const file = 'vestibule-agent.mjs';

/** Terminal commands (PowerShell on Windows) that enrol a computer with a code and start its agent. */
export function commandsFor(publicUrl: string, code: string) {
  const fetched = `-fsS -o ${file} ${publicUrl}${agentPath}`;
  const enrolled = `node ${file} enrol ${code} --server ${publicUrl}`;
  const unix = `curl ${fetched} && ${enrolled} && node ${file} run`;
  const windows = `curl.exe ${fetched}; if ($?) { ${enrolled} }; if ($?) { node ${file} run }`;
  return {
    command: unix,
    commands: { linux: unix, macos: unix, windows },
    // After the #, the code reaches no server or log if a browser opens the link.
    link: `${publicUrl}/computers/add/#${code}`,
  };
}
