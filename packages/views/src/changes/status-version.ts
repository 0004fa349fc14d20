/** The version of the status that an ETag names, in whatever form it was sent; also of a version alone. */
export function statusVersionIn(etag: string): string {
  return etag
    .trim()
    .replace(/^W\//, '')
    .replaceAll('"', '')
    .replace(/-(?:gzip|br)$/, '')
}
