import { SearchParamsContext } from 'next/dist/shared/lib/hooks-client-context.shared-runtime'
import { type ReactNode, useEffect, useState } from 'react'

/** The address of the page as the router tells it, also after what scripts and the person did to the history. */
export function AtAddress({ children }: { children: ReactNode }) {
  const [query, setQuery] = useState(() => window.location.search)
  useEffect(() => {
    const { pushState, replaceState } = window.history
    const look = () => setQuery(window.location.search)
    const thenLook =
      (change: typeof pushState): typeof pushState =>
      (...to) => {
        change.apply(window.history, to)
        look()
      }
    window.history.pushState = thenLook(pushState)
    window.history.replaceState = thenLook(replaceState)
    window.addEventListener('popstate', look)
    return () => {
      window.removeEventListener('popstate', look)
      Object.assign(window.history, { pushState, replaceState })
    }
  }, [])
  return (
    <SearchParamsContext.Provider value={new URLSearchParams(query)}>{children}</SearchParamsContext.Provider>
  )
}
