import { askRegularly } from './ask-regularly.ts'

/** Longest wait between two attempts, in milliseconds. */
const LOAD_MS = 10_000

/** Style sheets that could not be loaded. The bundler's import asks for each of them once. */
const lost = new Set<HTMLLinkElement>()
addEventListener(
  'error',
  ({ target }) => {
    if (target instanceof HTMLLinkElement) lost.add(target)
  },
  true,
)

const loadLost = () =>
  Promise.all(
    [...lost].map((link) => {
      const again = link.cloneNode() as HTMLLinkElement
      lost.delete(link)
      return new Promise((resolve, reject) => {
        again.onload = resolve
        again.onerror = reject
        link.replaceWith(again)
      })
    }),
  )

/** Loads code, again until it arrives. `onFailure` is called after each attempt that failed. */
export function loadCode<Code>(load: () => Promise<Code>, onFailure?: () => void): Promise<Code> {
  return new Promise((resolve) => {
    const end = askRegularly(
      async () => {
        await loadLost()
        resolve(await load())
        end()
      },
      LOAD_MS,
      onFailure,
    )
  })
}
