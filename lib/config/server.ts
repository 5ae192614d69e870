import 'server-only'
import { readSettings, type Settings } from './settings'

let settings: Settings | null = null

/** The operator's settings, validated once per process. @throws SettingsError */
export function serverSettings(): Settings {
  settings ??= readSettings(process.env)
  return settings
}
