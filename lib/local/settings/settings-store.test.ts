import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { createFakeBrowser } from '../testing'
import { DEFAULT_SETTINGS, readSettings } from './settings'
import { createSettingsStore } from './settings-store'

function setUp(text?: string) {
  const browser = createFakeBrowser()
  if (text !== undefined) browser.area.setItem('settings', text)
  const tab = browser.openTab()
  const stored = () => JSON.parse(browser.area.getItem('settings') ?? 'null')
  return { browser, store: createSettingsStore(tab.storage), stored }
}

test('the defaults are the specified ones', () => {
  expect(setUp().store.getSnapshot().settings).toEqual({
    theme: 'light',
    enterToSend: true,
    language: 'en',
    showNewChatOnStartup: true,
    audioEnabled: true,
    ttsProvider: 'elevenlabs',
    defaultTtsVoice: '21m00Tcm4TlvDq8ikWAM',
    defaultPlaybackSpeed: 1,
    autoPlayTts: false,
  })
})

describe('stored settings', () => {
  test('that are not JSON are set aside, and the defaults apply', () => {
    const { store, browser } = setUp('{"theme":"da')
    expect(store.getSnapshot().settings).toEqual(DEFAULT_SETTINGS)
    store.update({ enterToSend: false })
    expect(browser.area.getItem('settings.damaged.1')).toBe('{"theme":"da')
  })

  test('of any content are read without an error, with defaults for wrong fields', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...Object.keys(DEFAULT_SETTINGS)), fc.jsonValue()),
        stored => {
          const settings: Record<string, unknown> = { ...readSettings(stored) }
          for (const [field, value] of Object.entries(DEFAULT_SETTINGS)) {
            expect(typeof settings[field]).toBe(typeof value)
          }
        },
      ),
    )
  })

  test('keep fields and values of a newer version when changed', () => {
    const { store, stored } = setUp('{"ttsProvider":"","zoom":{"level":3},"enterToSend":"sometimes"}')
    store.update({ audioEnabled: false })
    expect(stored()).toMatchObject({
      zoom: { level: 3 },
      enterToSend: 'sometimes',
      audioEnabled: false,
    })
  })

  test('written by another tab are followed', () => {
    const { store, browser } = setUp()
    const other = createSettingsStore(browser.openTab().storage)
    let changes = 0
    store.subscribe(() => {
      changes += 1
    })
    other.update({ enterToSend: false })
    browser.deliver()
    expect(changes).toBe(1)
    expect(store.getSnapshot().settings.enterToSend).toBe(false)
  })
})

describe('theme and language', () => {
  test('follow the system and the page until chosen', () => {
    const { store, stored } = setUp()
    store.update({ enterToSend: false })
    expect(store.getSnapshot()).toMatchObject({ themeChoice: 'system', chosenLanguage: null })
    expect(stored()).not.toHaveProperty('theme')
    expect(stored()).not.toHaveProperty('language')
  })

  test('are stored once they are chosen', () => {
    const { store, stored } = setUp()
    store.chooseTheme('light')
    store.update({ language: 'de' })
    expect(stored()).toMatchObject({ theme: 'light', language: 'de' })
    expect(store.getSnapshot()).toMatchObject({ themeChoice: 'light', chosenLanguage: 'de' })
    store.chooseTheme('system')
    expect(store.getSnapshot()).toMatchObject({ themeChoice: 'system', chosenLanguage: 'de' })
  })

  test('of a complete record from another product count as chosen', () => {
    const { store } = setUp(JSON.stringify({ ...DEFAULT_SETTINGS, theme: 'dark', language: 'fr' }))
    expect(store.getSnapshot()).toMatchObject({ themeChoice: 'dark', chosenLanguage: 'fr' })
  })
})
