import { spawnSync } from 'node:child_process'

/** The part of a test's context that is used here. */
export interface Skippable {
  readonly skip: (note: string) => void
}

/** Runs a tool of the machine; skips the test if the tool is not installed, which is an error in CI. */
export function machineTool(
  context: Skippable,
  command: string,
  args: readonly string[],
  cwd: string,
): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    cwd,
    // Lets systemd-analyze find units beside the one it checks.
    env: { ...process.env, SYSTEMD_UNIT_PATH: `${cwd}:` },
  })
  if (error !== undefined && process.env.CI === undefined)
    context.skip(`skipped, because ${command} is not installed`)
  return { status, output: stdout + stderr }
}
