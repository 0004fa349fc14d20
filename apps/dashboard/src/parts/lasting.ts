import { useEffect, useState } from 'preact/hooks'

/** Longest wait that passes for none, in milliseconds. */
const INSTANT_MS = 150

/** Whether this has been so for a while. What a quick answer ends is not drawn, since drawing it would delay the answer. */
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
