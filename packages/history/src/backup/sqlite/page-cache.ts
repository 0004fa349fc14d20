/** Page cache of a backup. Because a backup reads the store in order, 4 MiB are as good as the 16 MiB of readers. */
export const BACKUP_PAGE_CACHE = 'cache_size = -4096'
