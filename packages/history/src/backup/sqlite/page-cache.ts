/** A backup goes through the store in order: 4 MiB of pages serve it as well as the 16 MiB that readers get. */
export const BACKUP_PAGE_CACHE = 'cache_size = -4096'
