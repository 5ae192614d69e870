import { SearchParamsContext } from 'next/dist/shared/lib/hooks-client-context.shared-runtime'
import { type ReactNode, useEffect, useState } from 'react'

/** Provides the page's query as the router would, also after changes of the history by scripts and by the person. */
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
