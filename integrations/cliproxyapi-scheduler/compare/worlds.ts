/** A pool, and what its clients want of it. */
export interface World {
  readonly name: string
  /** False for windows of minutes, which the ranking is not made for. */
  readonly ofHours: boolean
  readonly plans: readonly string[]
  readonly hours: number
  /** Lengths of the two windows in seconds; they are named 5h and week however long they are. */
  readonly shortSeconds: number
  readonly longSeconds: number
  /** Percent of a Plus account's short window that a request costs in the mean. */
  readonly costPercent: number
  /** Number of full short windows that one long window holds. */
  readonly longShare: number
  /** Percent used of the long window and its end in seconds, for the account with this number. */
  readonly long: (
    number: number,
    random: () => number,
  ) => { readonly used: number; readonly endsIn: number }
  readonly sessions: number
  /** Requests that all sessions send in an hour. */
  readonly requestsPerHour: number
  /** Mean requests of a session before another one takes its place. */
  readonly sessionRequests: number
}

const HOUR = 3_600
const DAY = 24 * HOUR
const PLUS: readonly string[] = [...Array<string>(11).fill('plus'), 'prolite']

const hours = {
  ofHours: true,
  plans: PLUS,
  hours: 24,
  shortSeconds: 5 * HOUR,
  longSeconds: 7 * DAY,
  costPercent: 0.8,
  longShare: 6,
  long: (_: number, random: () => number) => {
    const endsIn = random() * 7 * DAY
    return { used: 80 * random() * (1 - endsIn / (7 * DAY)), endsIn }
  },
  sessions: 20,
  requestsPerHour: 200,
  sessionRequests: 40,
} satisfies Omit<World, 'name'>

/** Worlds of hours, where the ranking has to serve as much as round-robin, and one of minutes. */
export const worlds: readonly World[] = [
  { ...hours, name: 'a day, enough for all' },
  { ...hours, name: 'a day, less than is wanted', requestsPerHour: 600 },
  {
    ...hours,
    name: 'weeks that end within a day',
    long: (number, random) => ({
      used: number % 3 === 0 ? 20 : 70 * random(),
      endsIn: number % 3 === 0 ? (4 + 16 * random()) * HOUR : (2 + 5 * random()) * DAY,
    }),
  },
  {
    ...hours,
    name: 'weeks that are nearly used up',
    long: (_, random) => ({ used: 70 + 29 * random(), endsIn: (0.2 + 5 * random()) * DAY }),
    requestsPerHour: 260,
  },
  {
    ...hours,
    name: 'many agents with short sessions',
    sessions: 120,
    sessionRequests: 8,
    requestsPerHour: 400,
  },
  {
    ...hours,
    name: 'windows of minutes',
    ofHours: false,
    hours: 1,
    shortSeconds: 150,
    longSeconds: 900,
    long: (_, random) => ({ used: 40 * random(), endsIn: 900 * random() }),
    costPercent: 4,
    requestsPerHour: 6_000,
  },
  {
    ...hours,
    name: 'windows of minutes, less than is wanted',
    ofHours: false,
    hours: 1,
    shortSeconds: 150,
    longSeconds: 900,
    long: (_, random) => ({ used: 40 * random(), endsIn: 900 * random() }),
    costPercent: 4,
    requestsPerHour: 12_000,
  },
]
