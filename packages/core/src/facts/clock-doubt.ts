/** Reason our clock is not believed: the source it disagrees with, and by how much. */
export interface ClockDoubt {
  readonly reason: 'proxy' | 'jump' | 'records'
  /** Our clock minus the source it disagrees with, in whole seconds; negative if ours is behind. */
  readonly aheadSeconds: number
}
