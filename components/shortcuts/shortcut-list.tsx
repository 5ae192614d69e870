'use client'

import { useTranslations } from 'next-intl'
import { Dialog } from '@/components/ui/dialog'
import { Switch } from '@/components/ui/switch'
import { useStore } from '@/components/ui/use-store'
import styles from './shortcut-list.module.css'
import { plainKeysStore } from './shortcut-list-store'
import { CHAT_KEYS, type Chord, isMac, SHORTCUTS, type ShortcutName, WRITING_KEYS } from './shortcuts'

const ROWS: readonly (readonly [
  name: ShortcutName | keyof typeof WRITING_KEYS | keyof typeof CHAT_KEYS,
  chords: Record<'chord' | 'mac', Chord>,
])[] = [
  ...(Object.entries(SHORTCUTS) as [ShortcutName, Record<'chord' | 'mac', Chord>][]),
  ['send', WRITING_KEYS.send],
  ['newLine', WRITING_KEYS.newLine],
  ['rename', CHAT_KEYS.rename],
  ['remove', CHAT_KEYS.remove],
]

/** The list of shortcuts, with the key names of this computer's keyboard. */
export function ShortcutList({ onClose }: { onClose: () => void }) {
  const t = useTranslations('shortcuts')
  const names = useKeyNames()
  const hasPlainKeys = useStore(plainKeysStore)
  return (
    <Dialog open onClose={onClose} title={t('title')}>
      <dl className={styles.list}>
        {ROWS.map(([name, chords]) => (
          <div key={name} className={styles.row}>
            <dt>{t(name)}</dt>
            <dd>
              {names(chords[isMac() ? 'mac' : 'chord']).map(key => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <Switch
        label={t('plainKey')}
        hint={t('plainKeyHint')}
        checked={hasPlainKeys}
        onChange={isOn => (isOn ? plainKeysStore.remove() : plainKeysStore.write('off'))}
      />
    </Dialog>
  )
}

/** The same in all languages. */
const SIGNS: Readonly<Record<string, string>> = { arrowup: '↑', arrowdown: '↓', backspace: '⌫' }

function useKeyNames(): (chord: Chord) => string[] {
  const t = useTranslations('shortcuts')
  const words: Readonly<Record<string, string>> = {
    escape: t('escape'),
    enter: t('enter'),
    delete: t('delete'),
  }
  return ({ ctrl, alt, shift, meta, key }) => [
    ...(ctrl ? [isMac() ? '⌃' : t('ctrl')] : []),
    ...(alt ? [isMac() ? '⌥' : 'Alt'] : []),
    ...(shift ? [isMac() ? '⇧' : t('shift')] : []),
    ...(meta ? ['⌘'] : []),
    words[key] ?? SIGNS[key] ?? key.toUpperCase(),
  ]
}
