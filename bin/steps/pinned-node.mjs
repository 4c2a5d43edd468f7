import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { inProject, nodePackage, pinnedNode } from './places.mjs';

const systems = 'Linux with glibc (x64, arm64), macOS (x64, arm64) and Windows (x64)';

/** Why the pinned Node does not run, in one sentence; undefined if it runs. */
export function nodeTrouble() {
  if (!nodePackage)
    return `Vestibule does not run on ${process.platform} ${process.arch}. It needs one of these systems: ${systems}.`;
  if (!existsSync(pinnedNode))
    return `npm did not install the package ${nodePackage}, which contains Node. Check npm’s settings (npm config get omit) and try again.`;
  const { status, signal, stderr, error } = spawnSync(pinnedNode, ['--version'], { encoding: 'utf8' });
  if (status === 0) return undefined;
  return causeOf({ code: /** @type {NodeJS.ErrnoException | undefined} */ (error), signal, output: stderr ?? '' });
}

/**
 * @param {{ code: NodeJS.ErrnoException | undefined, signal: NodeJS.Signals | null, output: string }} end
 */
function causeOf({ code, signal, output }) {
  if (/libatomic\.so/.test(output))
    return 'Node needs the system library libatomic. Install it (Debian, Ubuntu: apt-get install libatomic1; Fedora, RHEL: dnf install libatomic) and try again.';
  if (/GLIBC(?:XX)?_[\d.]+/.test(output))
    return `This system is too old for Node: it lacks ${/GLIBC(?:XX)?_[\d.]+/.exec(output)?.[0]}. Update the system.`;
  // The file exists, so the system lacks its loader, which is part of glibc.
  if (code?.code === 'ENOENT' || /ld-linux|symbol not found/.test(output))
    return `This system has no glibc (Alpine Linux has musl instead). Vestibule needs one of these systems: ${systems}.`;
  if (code?.code === 'EACCES')
    return `This system refuses to run ${pinnedNode}. If the file system is mounted with “noexec”, move the project to another one.`;
  // The C library gives a program that the kernel refuses to the shell, which does not understand it either.
  if (code?.errno === -8 || signal === 'SIGILL' || /\bELF\b|Exec format|cannot execute|Syntax error/.test(output))
    return 'The installed Node is for another processor. If this folder comes from another machine, delete node_modules and try again.';
  const trouble = machineTrouble(`${code?.code} ${output} ${signal ? `ended by ${signal}` : ''}`);
  if (trouble) return `Node does not run: ${trouble}.`;
  return `Node does not run (${pinnedNode}): ${(output.trim() || signal) ?? code?.message ?? 'it exited without a message'}`;
}

/** Links the pinned Node as `node_modules/.bin/node`: older releases of npm, or `bin-links=false`, leave it out. */
export function linkPinnedNode() {
  const link = inProject('node_modules', '.bin', 'node');
  if (process.platform === 'win32' || existsSync(link)) return;
  mkdirSync(inProject('node_modules', '.bin'), { recursive: true });
  symlinkSync(`../${nodePackage}/bin/node`, link);
}

/** Output that indicates a problem of the machine, not of the project. @type {readonly [RegExp, string][]} */
const signs = [
  [/ENOSPC|No space left on device|could not extend file/i, 'the disk is full: free some space and try again'],
  [
    /ENOMEM|Cannot allocate memory|JavaScript heap out of memory|ended by SIGKILL|could not (?:create|map) (?:anonymous )?shared memory/i,
    'there is not enough memory: end other programs and try again',
  ],
  [/EADDRINUSE/, 'another program uses the same port: try again'],
  [/EMFILE|ENFILE|Too many open files/i, 'too many files are open: raise the limit (`ulimit -n`) and try again'],
  [/EAGAIN.*(?:fork|spawn)|(?:fork|spawn)\b.*EAGAIN|Resource temporarily unavailable/i, 'there are too many processes'],
];

/** The problem of the machine in one line; undefined if the output shows none. */
export const machineTrouble = (/** @type {string} */ output) => signs.find(([sign]) => sign.test(output))?.[1];
