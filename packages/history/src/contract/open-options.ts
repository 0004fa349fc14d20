/** How a store is opened for writing. */
export interface OpenOptions {
  /** Steps of a file's schema after the ones there are; only tests know of such. */
  readonly laterMigrations?: readonly string[]
  /** Reads every page of a file first, as after damage; takes seconds for a large store. */
  readonly thorough?: boolean
  /** A file with the password of a database; null or left out where there is none. */
  readonly passwordFile?: string | null
}
