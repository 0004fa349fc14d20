import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { accountWords } from '../words/account-words.ts'

/** The charts, loaded with the first account that is opened. */
const CourseView = signal<ComponentType<{ readonly accountKey: string }> | null>(null)

/** Charts of an account's windows; their code is loaded at the first use. */
export function LazyCourse({ accountKey }: { readonly accountKey: string }) {
  useEffect(() => {
    // If the code cannot be loaded, the rest of the details still shows.
    import('./quota-course.tsx').then(
      ({ Course }) => {
        CourseView.value = Course
      },
      () => undefined,
    )
  }, [])
  const Course = CourseView.value
  if (Course === null) return null
  return (
    <>
      <h3>{accountWords.courseTitle}</h3>
      <Course accountKey={accountKey} />
    </>
  )
}
