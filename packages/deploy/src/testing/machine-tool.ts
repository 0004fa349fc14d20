import { spawnSync } from 'node:child_process'

/** As far as a test hands it on. */
export interface Skippable {
  readonly skip: (note: string) => void
}

/** Runs a tool of the machine; skips the test where it is not installed, which CI must not do. */
export function machineTool(
  context: Skippable,
  command: string,
  args: readonly string[],
  cwd: string,
): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    cwd,
    // systemd-analyze looks for units beside the one it is asked about.
    env: { ...process.env, SYSTEMD_UNIT_PATH: `${cwd}:` },
  })
  if (error !== undefined && process.env.CI === undefined)
    context.skip(`skipped, because ${command} is not installed`)
  return { status, output: stdout + stderr }
}
