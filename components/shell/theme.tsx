'use client'

import { useEffect } from 'react'
import { useStore } from '@/components/ui/use-store'
import { settingsStore } from '@/lib/local/settings/settings-store'

interface ThemeProps {
  nonce: string | undefined
}

/** Sets the chosen theme before the first paint, by an inline script, and follows it from then on. */
export function Theme({ nonce }: ThemeProps) {
  const { themeChoice } = useStore(settingsStore)
  useEffect(() => {
    if (themeChoice === 'system') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = themeChoice
  }, [themeChoice])
  // In the browser the element is inert, and its nonce hidden, hence the two differences to ignore.
  const type = typeof window === 'undefined' ? 'text/javascript' : 'text/plain'
  return (
    <script nonce={nonce} type={type} suppressHydrationWarning>
      {THEME_SCRIPT}
    </script>
  )
}

/**
 * Runs inline before anything is drawn, so it is written out as plain text: an explicit light or dark in
 * the stored settings goes to `data-theme`, anything else leaves the choice to the system.
 */
const THEME_SCRIPT = `try{var t=JSON.parse(localStorage.getItem("settings")||"{}").theme;if(t==="light"||t==="dark")document.documentElement.dataset.theme=t}catch(e){}`
