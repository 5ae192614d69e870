import 'server-only'
import { readServerSettings, type ServerSettings } from './settings'

let settings: ServerSettings | null = null

/** The operator's settings, validated once per process. @throws SettingsError */
export function serverSettings(): ServerSettings {
  settings ??= readServerSettings(process.env)
  return settings
}
