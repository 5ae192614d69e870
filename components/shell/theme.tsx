'use client'

import { useEffect } from 'react'
import { useStore } from '@/components/ui/use-store'
import { settingsStore } from '@/lib/local/settings/settings-store'

interface ThemeProps {
  nonce: string | undefined
  /** The inline script. The server gives it, so that the page's own scripts need not contain it once more. */
  children: string
}

/**
 * Sets the chosen theme before the first paint, by an inline script, and follows it from then on. The script also
 * tells the styles whether there was credit here last.
 */
export function Theme({ nonce, children }: ThemeProps) {
  const { themeChoice } = useStore(settingsStore)
  useEffect(() => {
    document.documentElement.dataset.theme = themeChoice
    // The browser's own bars, in the order in which app/document.tsx has their colours.
    for (const [index, meta] of document.querySelectorAll<HTMLMetaElement>('[name=theme-color]').entries()) {
      const scheme = index ? 'dark' : 'light'
      const isChosen = themeChoice === scheme
      meta.media = themeChoice === 'system' ? `(prefers-color-scheme: ${scheme})` : isChosen ? '' : 'not all'
    }
  }, [themeChoice])
  // In the browser the element is inert, and its nonce hidden, hence the two differences to ignore.
  const type = typeof window === 'undefined' ? 'text/javascript' : 'text/plain'
  return (
    <script nonce={nonce} type={type} suppressHydrationWarning>
      {children}
    </script>
  )
}
