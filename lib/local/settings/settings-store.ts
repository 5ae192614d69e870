import { fieldsOf, isObject } from '@/lib/http/domain/is-object'
import type { ExternalStore } from '../storage/external-store'
import { type GuardedStorage, guardedStorage, listenersOf } from '../storage/guarded-storage'
import { type JsonRecord, parseStored } from '../storage/json'
import { setAsideItem } from '../storage/set-aside'
import { SETTINGS_KEY } from '../storage/storage-keys'
import { DEFAULT_SETTINGS, patchSettings, readSettings, type Settings } from './settings'

export type ThemeChoice = 'system' | 'light' | 'dark'

interface SettingsSnapshot {
  settings: Settings
  /** `system` until a theme is chosen; meanwhile `settings.theme` is `light`, as specified. */
  themeChoice: ThemeChoice
  /** Null until a language is chosen; until then the page's own applies. */
  chosenLanguage: Settings['language'] | null
}

export interface SettingsStore extends ExternalStore<SettingsSnapshot> {
  /** Returns false if local storage is full. */
  update(patch: Partial<Settings>): boolean
  chooseTheme(choice: ThemeChoice): boolean
}

const SERVER_SNAPSHOT: SettingsSnapshot = {
  settings: DEFAULT_SETTINGS,
  themeChoice: 'system',
  chosenLanguage: null,
}

export function createSettingsStore(storage: GuardedStorage): SettingsStore {
  const { subscribe, notify } = listenersOf(storage, SETTINGS_KEY)
  let seen: { text: string | null; stored: JsonRecord; snapshot: SettingsSnapshot } = {
    text: null,
    stored: {},
    snapshot: SERVER_SNAPSHOT,
  }
  let isBlocked = false

  function read() {
    const text = storage.read(SETTINGS_KEY)
    if (text === seen.text && !isBlocked) return seen
    const parsed = parseStored(text)
    isBlocked = parsed !== null && !isObject(parsed) && !setAsideItem(storage, SETTINGS_KEY)
    const stored = fieldsOf(parsed)
    seen = { text, stored, snapshot: snapshotOf(stored) }
    return seen
  }

  function write(change: (stored: JsonRecord) => JsonRecord): boolean {
    const { stored } = read()
    if (isBlocked) return storage.refuse()
    const isWritten = storage.write(SETTINGS_KEY, JSON.stringify(change(stored)))
    notify()
    return isWritten
  }

  return {
    subscribe,
    getSnapshot: () => read().snapshot,
    getServerSnapshot: () => SERVER_SNAPSHOT,
    update: patch => write(stored => patchSettings(stored, patch)),
    chooseTheme: choice =>
      write(stored => {
        const { theme, ...rest } = patchSettings(stored, {})
        return choice === 'system' ? rest : { ...rest, theme: choice }
      }),
  }
}

function snapshotOf(stored: JsonRecord): SettingsSnapshot {
  const settings = readSettings(stored)
  return {
    settings,
    themeChoice: stored.theme === settings.theme ? settings.theme : 'system',
    chosenLanguage: stored.language === settings.language ? settings.language : null,
  }
}

export const settingsStore = createSettingsStore(guardedStorage)
