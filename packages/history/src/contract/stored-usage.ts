import type { CourseMoment, CourseQuery, WindowCourse } from '@svc/core/service'
import type { UsageReader } from '@svc/core/usage'

/** Which store is asked, and how long single requests are kept in it. */
export interface UsageLocation {
  readonly location: string
  /** A file with the password of a database; null or left out where there is none. */
  readonly passwordFile?: string | null
  /** The address of a standby that is asked instead; null or left out where there is none. */
  readonly replica?: string | null
  readonly retentionDays: number
}

/** Answers from a store how the quota of one account went. */
export interface StoredCourses {
  /** One course for each main window; null where the store has no reading of the account at all. Rejects with HistoryError. */
  course(query: CourseQuery, moment: CourseMoment): Promise<readonly WindowCourse[] | null>
}

/** Answers from a store; it never writes. Each answer is one moment of it. Every question rejects with HistoryError. */
export interface StoredUsage extends UsageReader, StoredCourses {
  /** Labels of clients from now on, by API name. */
  useLabels(labels: ReadonlyMap<string, string>): void
  close(): Promise<void>
}
