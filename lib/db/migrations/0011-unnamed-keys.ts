import type { Migration } from './migration'

/**
 * Nobody chose the names that keys got by themselves, in English whatever their reader's language. Without one, a page
 * shows a key under a word of its own language.
 */
export const unnamedKeys: Migration = {
  name: '0011-unnamed-keys',
  statements: [`update api_key set label = '' where label in ('First key', 'API key')`],
}
