import { useSyncExternalStore } from 'react'
import { type SettingsSnapshot, settingsStore } from '@/lib/local/settings/settings-store'

/** The settings as they are stored, and the defaults until the page runs in the browser. */
export function useSettings(): SettingsSnapshot {
  return useSyncExternalStore(
    settingsStore.subscribe,
    settingsStore.getSnapshot,
    settingsStore.getServerSnapshot,
  )
}
