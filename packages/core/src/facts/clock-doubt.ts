/** Why our clock is not believed: what it disagrees with, and by how much. */
export interface ClockDoubt {
  readonly reason: 'proxy' | 'jump' | 'records'
  /** Our clock minus what it disagrees with, in whole seconds; negative when ours is behind. */
  readonly aheadSeconds: number
}
