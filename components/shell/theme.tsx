'use client'

import { useEffect } from 'react'
import { useStore } from '@/components/ui/use-store'
import { settingsStore } from '@/lib/local/settings/settings-store'

interface ThemeProps {
  nonce: string | undefined
}

/**
 * Sets the chosen theme before the first paint, by an inline script, and follows it from then on. The script also
 * tells the styles whether there was credit here last.
 */
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
      {FIRST_PAINT_SCRIPT}
    </script>
  )
}

/**
 * Runs inline before anything is drawn, so it is written out as plain text: an explicit light or dark in
 * the stored settings goes to `data-theme`, anything else leaves the choice to the system. Where the last
 * balance that was told was more than nothing there is `data-had-credit`.
 */
const FIRST_PAINT_SCRIPT = `try{var d=document.documentElement.dataset,r=function(k){return JSON.parse(localStorage.getItem(k)||"{}")};t=r("settings").theme;if(t==="light"||t==="dark")d.theme=t;if(r("lastBalance").amountUsd>0)d.hadCredit=""}catch(e){}`
