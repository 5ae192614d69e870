import { useEffect, useState } from 'react'

/**
 * What the latest promise has brought; until then what an earlier one has, or `initial`.
 * @param begin begins anew whenever this function is another one
 */
export function useResolved<Result, Initial>(
  begin: () => Promise<Result>,
  initial: Initial,
): Result | Initial {
  const [result, setResult] = useState<Result | Initial>(initial)
  useEffect(() => {
    let isCurrent = true
    void begin().then(resolved => {
      if (isCurrent) setResult(resolved)
    })
    return () => {
      isCurrent = false
    }
  }, [begin])
  return result
}
