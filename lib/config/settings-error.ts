/** A missing or malformed setting. The message names the variable and what is expected. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
}
