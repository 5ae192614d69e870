'use client'

import { Switch } from '@/components/ui/switch'
import { fixedStore, useStore } from '@/components/ui/use-store'
import { createEntryStore } from '@/lib/local/storage/entry-store'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { ANALYTICS_CONSENT_KEY } from '@/lib/local/storage/storage-keys'

export type AnalyticsConsent = 'given' | 'refused' | 'not-asked' | 'refused-by-browser'

/** Holds the origin that consent was given for: an operator who switches to another service has to ask again. */
const store = createEntryStore(guardedStorage, ANALYTICS_CONSENT_KEY, text => text)

/** Global Privacy Control or Do Not Track. */
const browserRefuses = fixedStore(
  () => Reflect.get(navigator, 'globalPrivacyControl') === true || navigator.doNotTrack === '1',
)

export function useAnalyticsConsent(origin: string): AnalyticsConsent {
  const stored = useStore(store)
  if (useStore(browserRefuses)) return 'refused-by-browser'
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
  /** Replaces the hint if the browser itself refuses. */
  refusedHint: string
}

/** Gives consent after the question was dismissed, or withdraws it. */
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
