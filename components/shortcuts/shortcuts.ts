import { isComposing } from '@/components/ui/is-composing'

/** A key with what is held down beside it. */
export interface Chord {
  /** As `KeyboardEvent.key` tells it, in lower case. */
  key: string
  alt?: true
  ctrl?: true
  meta?: true
  shift?: true
}

interface Shortcut {
  chord: Chord
  /** On a Mac, where Option writes letters. */
  mac: Chord
  /** Where a text has the key for itself: a character, a step through it, the way to take back what was typed in a line. */
  inText?: 'never' | 'if-empty' | 'not-in-line'
}

/**
 * What keys do, for the handler and for the list that shows them. Of the combinations that no browser and no
 * screen reader has for itself: beside Ctrl and Command the letters are taken, and beside Alt those that
 * open a menu, in one language or another.
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

/** What the message box itself does with keys. */
export const WRITING_KEYS = {
  send: { chord: { ctrl: true, key: 'enter' }, mac: { meta: true, key: 'enter' } },
  newLine: { chord: { shift: true, key: 'enter' }, mac: { shift: true, key: 'enter' } },
} as const satisfies Record<string, Shortcut>

/** Whether the keyboard is Apple's, which has other names for its keys. */
export function isMac(): boolean {
  return /^(Mac|iP)/.test(navigator.platform)
}

/** What a key that was pressed means here, if anything. */
export function shortcutOf(event: KeyboardEvent, isMac: boolean): ShortcutName | null {
  if (event.defaultPrevented || isComposing(event)) return null
  // With it, keyboards write what they have no other room for; Windows tells it as Ctrl and Alt.
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
    // Where a character stands differs from keyboard to keyboard.
    (isCharacter || event.shiftKey === Boolean(chord.shift)) &&
    keyOf(event) === chord.key
  )
}

/** The letter that a key has in Latin script, where it writes another one. */
function keyOf({ key, code }: KeyboardEvent): string {
  return key.length === 1 && key > '\u007f' && code.startsWith('Key')
    ? code.slice(3).toLowerCase()
    : key.toLowerCase()
}

/** Inputs into which nothing is written. */
const NO_TEXT = ['button', 'checkbox', 'color', 'file', 'image', 'radio', 'range', 'reset', 'submit']

function isFree(target: EventTarget | null, inText: Shortcut['inText']): boolean {
  if (!(target instanceof HTMLElement)) return true
  // What lies above the page has keys of its own.
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
