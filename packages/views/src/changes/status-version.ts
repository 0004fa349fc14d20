/** Status version in an ETag, whether weak, quoted or with a suffix for compression; also accepts a bare version. */
export function statusVersionIn(etag: string): string {
  return etag
    .trim()
    .replace(/^W\//, '')
    .replaceAll('"', '')
    .replace(/-(?:gzip|br)$/, '')
}
