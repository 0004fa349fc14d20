import { useEffect, useState } from 'preact/hooks'

/** Longest wait that nobody notices, in milliseconds. */
const INSTANT_MS = 150

/** Whether `isSo` has held for a while. A state that a quick answer ends is not drawn, because drawing it would delay the answer. */
export function useLasting(isSo: boolean): boolean {
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    if (!isSo) return
    const timer = setTimeout(setLong, INSTANT_MS, true)
    return () => {
      clearTimeout(timer)
      setLong(false)
    }
  }, [isSo])
  return isSo && isLong
}
