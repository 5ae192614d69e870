import { NAME_LENGTH_MAX } from './document-limits'

const FALLBACK_NAME = 'document'
const SEPARATORS = /[/\\]/
/**
 * Control and format characters: line breaks, and marks that reverse the direction of writing (`exe.txt` for
 * `txt.exe`).
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu
/** Lone halves of surrogate pairs can be neither displayed nor encoded. */
const LONE_SURROGATE = /\p{Cs}/gu
/** Characters with a meaning to file systems, shells and our own quotation marks. */
const RESERVED = /[<>:"|?*`]/g
/** The longest extension that is kept when a name is shortened. */
const EXTENSION_LENGTH_MAX = 12

/**
 * Makes a name safe to display, to send and to save under: one path segment without invisible characters. Applying it
 * again changes nothing.
 */
export function safeDocumentName(name: string): string {
  const segment = name.split(SEPARATORS).at(-1) ?? ''
  const visible = segment.replace(LONE_SURROGATE, '').replace(INVISIBLE, ' ').replace(RESERVED, '_')
  const trimmed = cut(trim(visible.replace(/\s+/g, ' ')))
  return trimmed === '' ? FALLBACK_NAME : trimmed
}

/** Leading dots hide a file; trailing dots and spaces are dropped by some systems. */
function trim(name: string): string {
  return name.replace(/^[\s.]+|(?<![\s.])[\s.]+$/g, '')
}

function cut(name: string): string {
  const characters = [...name]
  if (characters.length <= NAME_LENGTH_MAX) return name
  const dot = characters.lastIndexOf('.')
  const extension = dot > 0 && characters.length - dot <= EXTENSION_LENGTH_MAX ? characters.slice(dot) : []
  const stem = characters.slice(0, NAME_LENGTH_MAX - extension.length)
  return `${trim(stem.join(''))}${extension.join('')}`
}
