import { type Clock, LEASE_MS, type Lease, type LeaseName, type Leases } from '@svc/core/service'

/** A store's leases, by the clock of a test, for as many monitors as ask. */
export interface LeaseTable {
  /** As one monitor asks. */
  asHolder(holder: string): Leases
  /** Nobody gets an answer from now on, or again. */
  cut(isCut: boolean): void
  /** Each answer comes so much after its question was answered. */
  delay(milliseconds: number): void
  /** Who has each lease. */
  holders(): Readonly<Record<string, string>>
  /** How many questions were asked. */
  questionCount(): number
}

export function leasesInMemory(clock: Clock): LeaseTable {
  const rows = new Map<LeaseName, { holder: string; term: number; untilMs: number }>()
  let isCut = false
  let delayMs = 0
  let questions = 0

  const answered = async <Answer>(answer: () => Answer): Promise<Answer> => {
    questions += 1
    if (isCut) throw Object.assign(new Error('no answer'), { code: 'unreachable' })
    const made = answer()
    if (delayMs > 0)
      await new Promise<void>((resolve) => void clock.schedule(delayMs, () => resolve()))
    return made
  }
  const leaseOf = (name: LeaseName, asking: string): readonly Lease[] => {
    const row = rows.get(name)
    if (row === undefined) return []
    const remainingMs = Math.max(0, row.untilMs - clock.monotonicMs())
    const { holder, term } = row
    return [{ name, holder, term, remainingMs, isOurs: holder === asking && remainingMs > 0 }]
  }

  return {
    asHolder: (holder) => ({
      take: (names) =>
        answered(() =>
          names.flatMap((name) => {
            const row = rows.get(name)
            const isFree = row === undefined || row.untilMs <= clock.monotonicMs()
            if (isFree || row.holder === holder) {
              const isOther = row !== undefined && row.holder !== holder
              const term = (row?.term ?? 1) + (isOther ? 1 : 0)
              rows.set(name, { holder, term, untilMs: clock.monotonicMs() + LEASE_MS })
            }
            return leaseOf(name, holder)
          }),
        ),
      standing: (names) => answered(() => names.flatMap((name) => leaseOf(name, holder))),
      release: (names) =>
        answered(() => {
          for (const name of names) {
            const row = rows.get(name)
            if (row?.holder === holder) row.untilMs = clock.monotonicMs()
          }
        }),
      close: () => Promise.resolve(),
    }),
    cut(next) {
      isCut = next
    },
    delay(milliseconds) {
      delayMs = milliseconds
    },
    holders: () =>
      Object.fromEntries(
        [...rows].flatMap(([name, { holder, untilMs }]) =>
          untilMs > clock.monotonicMs() ? [[name, holder]] : [],
        ),
      ),
    questionCount: () => questions,
  }
}
