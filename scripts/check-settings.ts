import './load-environment'
import { readServerSettings } from '@/lib/config/settings'
import { SettingsError } from '@/lib/config/settings-error'

try {
  readServerSettings(process.env)
} catch (error) {
  if (!(error instanceof SettingsError)) throw error
  console.error(`\n${error.message}`)
  process.exitCode = 1
}
