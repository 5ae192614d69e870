import { useEffect, useState } from 'react'

/** Whether something has been so for a while; `isInitially`, if nobody can tell since when. */
export function useIsLasting(isSo: boolean, quietMs: number, isInitially = false): boolean {
  const [isLasting, setLasting] = useState(isInitially)
  useEffect(() => {
    if (!isSo) return
    const timer = setTimeout(() => setLasting(true), quietMs)
    return () => {
      clearTimeout(timer)
      setLasting(false)
    }
  }, [isSo, quietMs])
  return isLasting
}
