import { type Locale, routing } from '@/lib/i18n/routing'
import { type FieldChecks, soundFields } from '../domain/field-checks'
import type { JsonRecord } from '../storage/json'

/** The specification's fields, names and defaults, under the key `settings`. */
export interface Settings {
  theme: 'light' | 'dark'
  enterToSend: boolean
  language: Locale
  showNewChatOnStartup: boolean
  audioEnabled: boolean
  ttsProvider: string
  defaultTtsVoice: string
  defaultPlaybackSpeed: number
  autoPlayTts: boolean
}

/** ElevenLabs' "Rachel", one of the voices that every account has. */
const DEFAULT_VOICE_ID = '21m00Tcm4TlvDq8ikWAM'

export const DEFAULT_SETTINGS: Settings = {
  theme: 'light',
  enterToSend: true,
  language: 'en',
  showNewChatOnStartup: true,
  audioEnabled: true,
  ttsProvider: 'elevenlabs',
  defaultTtsVoice: DEFAULT_VOICE_ID,
  defaultPlaybackSpeed: 1,
  autoPlayTts: false,
}

/** What players support without distorting speech. */
const PLAYBACK_SPEED_MIN = 0.5
const PLAYBACK_SPEED_MAX = 2
/** The longest accepted name of a voice or a provider. */
const NAME_LENGTH_MAX = 100

const isBoolean = (value: unknown): boolean => typeof value === 'boolean'
const isName = (value: unknown): boolean =>
  typeof value === 'string' && value !== '' && value.length <= NAME_LENGTH_MAX

const CHECKS: FieldChecks<Settings> = {
  theme: value => value === 'light' || value === 'dark',
  enterToSend: isBoolean,
  language: value => routing.locales.some(locale => locale === value),
  showNewChatOnStartup: isBoolean,
  audioEnabled: isBoolean,
  ttsProvider: isName,
  defaultTtsVoice: isName,
  defaultPlaybackSpeed: value =>
    typeof value === 'number' && value >= PLAYBACK_SPEED_MIN && value <= PLAYBACK_SPEED_MAX,
  autoPlayTts: isBoolean,
}

/** A field that is absent, or has a value that this version does not understand, gets its default. */
export function readSettings(stored: JsonRecord): Settings {
  return { ...DEFAULT_SETTINGS, ...soundFields(stored, CHECKS) }
}

/**
 * The record to store after a change. Fields of other versions are kept. Theme and language are only stored once they
 * are chosen: a stored theme stops following the system, and a stored language switches the page.
 */
export function patchSettings(stored: JsonRecord, patch: Partial<Settings>): JsonRecord {
  const { theme, language, ...unchosen } = DEFAULT_SETTINGS
  return { ...unchosen, ...stored, ...patch }
}
