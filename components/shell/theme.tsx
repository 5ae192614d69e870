'use client'

import { useEffect } from 'react'
import { useStore } from '@/components/ui/use-store'
import { settingsStore } from '@/lib/local/settings/settings-store'

interface ThemeProps {
  nonce: string | undefined
  /** The inline script, passed by the server so that the page's own scripts need not contain it again. */
  children: string
}

/**
 * Sets the chosen theme before the first paint through an inline script, and follows later changes. The script also
 * tells the styles whether there was a credit at the last visit.
 */
export function Theme({ nonce, children }: ThemeProps) {
  const { themeChoice } = useStore(settingsStore)
  useEffect(() => {
    document.documentElement.dataset.theme = themeChoice
    // Colours the browser's own bars; the meta elements are in the order of app/document.tsx.
    for (const [index, meta] of document.querySelectorAll<HTMLMetaElement>('[name=theme-color]').entries()) {
      const scheme = index ? 'dark' : 'light'
      const isChosen = themeChoice === scheme
      meta.media = themeChoice === 'system' ? `(prefers-color-scheme: ${scheme})` : isChosen ? '' : 'not all'
    }
  }, [themeChoice])
  // In the browser the script is inert and its nonce hidden: two differences that hydration must ignore.
  const type = typeof window === 'undefined' ? 'text/javascript' : 'text/plain'
  return (
    <script nonce={nonce} type={type} suppressHydrationWarning>
      {children}
    </script>
  )
}
