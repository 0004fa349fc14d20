/** A poll that failed, by the log of a service. */
export interface FailedPoll {
  readonly atMs: number
  readonly reason: string
}

export function failedPolls(lines: readonly string[], source: string): readonly FailedPoll[] {
  return lines.flatMap((line) => {
    const [, at = '', name, reason = ''] =
      /^(\S+) debug poll failed source="?(.*?)"? code=.* reason="([^"]*)"/.exec(line) ?? []
    return name === source ? [{ atMs: Date.parse(at), reason }] : []
  })
}

export function gapsInSeconds(polls: readonly { readonly atMs: number }[]): readonly number[] {
  return polls.slice(1).map(({ atMs }, index) => (atMs - (polls[index]?.atMs ?? 0)) / 1000)
}
