/** A backup reads the store in order: 4 MiB of pages are as good as the 16 MiB of readers. */
export const BACKUP_PAGE_CACHE = 'cache_size = -4096'
