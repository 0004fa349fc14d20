/** The version that a value of `since` names: an ETag of the status as it was sent, or the version alone. Null where there is no value. */
export function versionIn(since: string | undefined): string | null {
  if (since === undefined) return null
  return since
    .trim()
    .replace(/^W\//, '')
    .replaceAll('"', '')
    .replace(/-(?:gzip|br)$/, '')
}
