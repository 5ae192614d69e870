'use client'

import { Switch } from '@/components/ui/switch'
import { useStore } from '@/components/ui/use-store'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { ANALYTICS_CONSENT_KEY } from '@/lib/local/storage/storage-keys'
import { createTextStore } from '@/lib/local/storage/text-store'

export type AnalyticsConsent = 'given' | 'refused' | 'not-asked' | 'refused-by-browser'

/** Of an origin: an operator who takes another service asks again. */
const store = createTextStore(guardedStorage, ANALYTICS_CONSENT_KEY, text => text)

/** Global Privacy Control or Do Not Track. */
const BROWSER_REFUSES = {
  subscribe: () => () => {},
  getSnapshot: () => Reflect.get(navigator, 'globalPrivacyControl') === true || navigator.doNotTrack === '1',
  getServerSnapshot: () => false,
}

export function useAnalyticsConsent(origin: string): AnalyticsConsent {
  const stored = useStore(store)
  if (useStore(BROWSER_REFUSES)) return 'refused-by-browser'
  if (stored === origin) return 'given'
  return stored === `no ${origin}` ? 'refused' : 'not-asked'
}

export function writeAnalyticsConsent(origin: string, isGiven: boolean): void {
  store.write(isGiven ? origin : `no ${origin}`)
}

interface AnalyticsSwitchProps {
  origin: string
  label: string
  hint: string
  /** In place of the hint, where the browser itself says no. */
  refusedHint: string
}

/** Gives the consent later than asked, and takes it back. */
export function AnalyticsSwitch({ origin, label, hint, refusedHint }: AnalyticsSwitchProps) {
  const consent = useAnalyticsConsent(origin)
  const isRefused = consent === 'refused-by-browser'
  return (
    <Switch
      label={label}
      hint={isRefused ? refusedHint : hint}
      checked={consent === 'given'}
      disabled={isRefused}
      onChange={isGiven => writeAnalyticsConsent(origin, isGiven)}
    />
  )
}
