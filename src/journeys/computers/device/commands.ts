/** Path at which the service serves the agent. */
export const agentPath = '/computers/agent.mjs';

const file = 'vestibule-agent.mjs';

/**
 * Terminal commands (PowerShell on Windows) that add a computer with a code and install its agent as a service, and one
 * that undoes both, in every shell.
 */
export function commandsFor(publicUrl: string, code: string) {
  const fetched = `-fsS -o ${file} ${publicUrl}${agentPath}`;
  const installed = `node ${file} install ${code} --server ${publicUrl}`;
  const unix = `curl ${fetched} && ${installed}`;
  const windows = `curl.exe ${fetched}; if ($?) { ${installed} }`;
  return {
    command: unix,
    commands: { linux: unix, macos: unix, windows },
    undo: `node "$HOME/.vestibule-agent/${file}" uninstall`,
    // After the #, the code reaches no server or log if a browser opens the link.
    link: `${publicUrl}/computers/add/#${code}`,
  };
}
