import { isComposing } from '@/components/ui/is-composing'

/** A key and its modifiers. */
export interface Chord {
  /** `KeyboardEvent.key` in lower case. */
  key: string
  alt?: true
  ctrl?: true
  meta?: true
  shift?: true
}

interface Shortcut {
  chord: Chord
  /** For a Mac, where Option types letters. */
  mac: Chord
  /**
   * Restricts the shortcut in text fields, which need the key themselves: for a character, for moving the cursor, or
   * for undoing the input of a single line.
   */
  inText?: 'never' | 'if-empty' | 'not-in-line'
}

/**
 * The shortcuts, for the handler and for the list that shows them. They avoid combinations that browsers and screen
 * readers use: letters with Ctrl and Command are taken, and so are those with Alt that open a menu in some language.
 */
export const SHORTCUTS = {
  newChat: { chord: { alt: true, key: 'n' }, mac: { ctrl: true, shift: true, key: 'n' } },
  search: { chord: { alt: true, key: 'k' }, mac: { ctrl: true, shift: true, key: 'k' } },
  previous: {
    chord: { alt: true, key: 'arrowup' },
    mac: { alt: true, key: 'arrowup' },
    inText: 'if-empty',
  },
  next: {
    chord: { alt: true, key: 'arrowdown' },
    mac: { alt: true, key: 'arrowdown' },
    inText: 'if-empty',
  },
  write: { chord: { alt: true, key: 'i' }, mac: { ctrl: true, shift: true, key: 'i' } },
  stop: { chord: { key: 'escape' }, mac: { key: 'escape' }, inText: 'not-in-line' },
  answerAgain: { chord: { alt: true, key: 'r' }, mac: { ctrl: true, shift: true, key: 'r' } },
  copyAnswer: { chord: { alt: true, key: 'y' }, mac: { ctrl: true, shift: true, key: 'y' } },
  list: { chord: { key: '?' }, mac: { key: '?' }, inText: 'never' },
} as const satisfies Record<string, Shortcut>

export type ShortcutName = keyof typeof SHORTCUTS

const ENTRIES = Object.entries(SHORTCUTS) as [ShortcutName, Shortcut][]

/** The keys that the message box handles itself. */
export const WRITING_KEYS = {
  send: { chord: { ctrl: true, key: 'enter' }, mac: { meta: true, key: 'enter' } },
  newLine: { chord: { shift: true, key: 'enter' }, mac: { shift: true, key: 'enter' } },
} as const satisfies Record<string, Shortcut>

/** The keys that a chat in the list handles itself. */
export const CHAT_KEYS = {
  rename: { chord: { key: 'f2' }, mac: { key: 'f2' } },
  remove: { chord: { key: 'delete' }, mac: { meta: true, key: 'backspace' } },
} as const satisfies Record<string, Shortcut>

/** Whether the keyboard is Apple's, whose keys have other names. */
export function isMac(): boolean {
  return /^(Mac|iP)/.test(navigator.platform)
}

/** The shortcut that a key press triggers, if any. */
export function shortcutOf(event: KeyboardEvent, isMac: boolean): ShortcutName | null {
  if (event.defaultPrevented || isComposing(event)) return null
  // AltGr types characters; Windows reports it as Ctrl and Alt.
  if (event.getModifierState('AltGraph')) return null
  const found = ENTRIES.find(([, { chord, mac }]) => isChord(event, isMac ? mac : chord))
  return found && isFree(event.target, found[1].inText) ? found[0] : null
}

function isChord(event: KeyboardEvent, chord: Chord): boolean {
  const isCharacter = chord.key.length === 1 && !chord.alt && !chord.ctrl && !chord.meta
  return (
    event.altKey === Boolean(chord.alt) &&
    event.ctrlKey === Boolean(chord.ctrl) &&
    event.metaKey === Boolean(chord.meta) &&
    // Whether a character needs Shift differs from keyboard to keyboard.
    (isCharacter || event.shiftKey === Boolean(chord.shift)) &&
    keyOf(event) === chord.key
  )
}

/** The Latin letter of a key that types another script. */
function keyOf({ key, code }: KeyboardEvent): string {
  return key.length === 1 && key > '\u007f' && code.startsWith('Key')
    ? code.slice(3).toLowerCase()
    : key.toLowerCase()
}

/** Input types that take no text. */
const NO_TEXT = ['button', 'checkbox', 'color', 'file', 'image', 'radio', 'range', 'reset', 'submit']

function isFree(target: EventTarget | null, inText: Shortcut['inText']): boolean {
  if (!(target instanceof HTMLElement)) return true
  // Dialogs, menus and lists have keys of their own.
  if (target.closest('dialog, [popover], [role="menu"], [role="listbox"]')) return false
  if (inText === undefined) return true
  if (target.closest('select, [role="combobox"]') || target.isContentEditable) return false
  const isText =
    target instanceof HTMLTextAreaElement ||
    (target instanceof HTMLInputElement && !NO_TEXT.includes(target.type))
  if (!isText) return true
  return inText === 'if-empty'
    ? target.value === ''
    : inText === 'not-in-line' && target instanceof HTMLTextAreaElement
}
