import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { accountWords } from '../words/account-words.ts'

/** The charts come once an account is looked at. */
const CourseView = signal<ComponentType<{ readonly accountKey: string }> | null>(null)

/** How the windows of an account went, loaded when it is first shown. */
export function LazyCourse({ accountKey }: { readonly accountKey: string }) {
  useEffect(() => {
    // Where it cannot be loaded, everything else is still shown.
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
