import {
  BookDown,
  Copy,
  Download,
  Ellipsis,
  MessageSquarePlus,
  Pencil,
  Plus,
  SlidersHorizontal,
  TextCursorInput,
  Trash,
  Upload,
} from 'lucide'
import { useLocale, useTranslations } from 'next-intl'
import { useDeferredValue, useMemo, useRef, useState } from 'react'
import type { ChatModel } from '@/components/chat/chat-model'
import { Button } from '@/components/ui/button'
import { FileInput } from '@/components/ui/file-input'
import { focusAfterRender } from '@/components/ui/focus'
import { Icon } from '@/components/ui/icon'
import layout from '@/components/ui/layout.module.css'
import { Menu } from '@/components/ui/menu'
import { saveFile } from '@/components/ui/save-file'
import text from '@/components/ui/text.module.css'
import { TextInput } from '@/components/ui/text-input'
import { useStore } from '@/components/ui/use-store'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { findPrompts, type Prompt, type PromptFields } from '@/lib/local/prompts/prompt'
import { toOpenWebUi, toPromptsChat } from '@/lib/local/prompts/prompt-files'
import { promptStore } from '@/lib/local/prompts/prompt-store'
import styles from './prompts.module.css'
import { useImport } from './use-import'

/** Where a prompt is put: into the message in progress, before this chat, or before a new one. */
export type PromptUse = 'message' | 'chat' | 'start'

/** The view that the library shows. */
export type PromptView =
  | { readonly name: 'list' }
  | { readonly name: 'edit'; readonly id: string | null; readonly fields: PromptFields }
  | { readonly name: 'fill'; readonly prompt: Prompt; readonly purpose: PromptUse }
  | { readonly name: 'import'; readonly found: readonly PromptFields[]; readonly skippedCount: number }

const SEARCH_FROM_COUNT = 6
const MANAGE_BUTTON = 'dialog[open] button[aria-haspopup="menu"]'

interface PromptListProps {
  models: readonly ChatModel[]
  onUse: (prompt: Prompt, purpose: PromptUse) => void
  onView: (view: PromptView) => void
}

/** All prompts with their actions. An action with a view of its own calls `onView`. */
export function PromptList({ models, onUse, onView }: PromptListProps) {
  const t = useTranslations('prompts')
  const locale = useLocale()
  const prompts = useStore(promptStore)
  const [query, setQuery] = useState('')
  const sought = useDeferredValue(query)
  const shown = useMemo(() => {
    const { compare } = new Intl.Collator(locale, { numeric: true })
    return [...findPrompts(prompts, sought)].sort((left, right) => compare(left.name, right.name))
  }, [prompts, sought, locale])
  const inputRef = useRef<HTMLInputElement>(null)
  const take = useImport((found, skippedCount) => onView({ name: 'import', found, skippedCount }))
  const importItem = {
    label: t('import'),
    icon: <Icon icon={Upload} size={16} />,
    onChoose: () => inputRef.current?.click(),
  }
  const exportItem = (label: string, write: () => string, type: string, name: string) => ({
    label,
    icon: <Icon icon={Download} size={16} />,
    onChoose: () => saveFile(new Blob([write()], { type }), name),
  })
  return (
    <div className={layout.stack}>
      <div className={styles.tools}>
        <Button variant="quiet" onClick={() => onView({ name: 'edit', id: null, fields: NOTHING })}>
          <Icon icon={Plus} size={18} />
          {t('new')}
        </Button>
        {prompts.length > 0 ? (
          <Menu
            label={t('manage')}
            icon={<Icon icon={BookDown} size={18} />}
            items={() => [
              importItem,
              exportItem(t('exportCsv'), () => toPromptsChat(prompts), 'text/csv', 'prompts.csv'),
              exportItem(t('exportJson'), () => toOpenWebUi(prompts), 'application/json', 'prompts.json'),
            ]}
          />
        ) : (
          <Button variant="quiet" onClick={importItem.onChoose}>
            {importItem.icon}
            {importItem.label}
          </Button>
        )}
        {prompts.length >= SEARCH_FROM_COUNT && (
          <TextInput
            type="search"
            className={styles.search}
            aria-label={t('search')}
            placeholder={t('search')}
            autoComplete="off"
            value={query}
            onChange={event => setQuery(event.currentTarget.value)}
          />
        )}
        <FileInput
          ref={inputRef}
          aria-label={t('import')}
          accept=".csv,.json,text/csv,application/json"
          // The button for the first file is replaced by a menu.
          onFiles={([file]) => file && void take(file).then(() => focusAfterRender(MANAGE_BUTTON))}
        />
      </div>
      {prompts.length === 0 && <p className={text.mutedText}>{t('empty')}</p>}
      {prompts.length > 0 && shown.length === 0 && <p className={text.muted}>{t('none')}</p>}
      {shown.length > 0 && (
        <ul className={styles.list}>
          {shown.map(prompt => (
            <PromptItem key={prompt.id} prompt={prompt} models={models} onUse={onUse} onView={onView} />
          ))}
        </ul>
      )}
    </div>
  )
}

const NOTHING: PromptFields = { name: '', content: '' }

interface PromptItemProps extends PromptListProps {
  prompt: Prompt
}

function PromptItem({ prompt, models, onUse, onView }: PromptItemProps) {
  const t = useTranslations('prompts')
  const common = useTranslations('common')
  const { id, updated_at: _changed, ...fields } = prompt
  const { name, content, model, temperature, max_tokens, reasoning_effort } = prompt
  // A prompt with a model or parameters is meant to start a chat.
  const isPreset = [model, temperature, max_tokens, reasoning_effort].some(value => value !== undefined)
  const modelName = model && (models.find(one => one.id === model)?.name ?? model)
  return (
    <li className={styles.item}>
      <div>
        <span className={styles.name} dir="auto">
          {name}
        </span>
        <p className={styles.excerpt} dir="auto">
          {content}
        </p>
        {modelName && <span className={text.hint}>{modelName}</span>}
      </div>
      <Button
        variant="quiet"
        size="small"
        aria-label={t(isPreset ? 'startNamed' : 'insertNamed', { name })}
        onClick={() => onUse(prompt, isPreset ? 'start' : 'message')}
      >
        {t(isPreset ? 'start' : 'insert')}
      </Button>
      <Menu
        label={t('more', { name })}
        icon={<Icon icon={Ellipsis} size={18} />}
        items={() => [
          isPreset
            ? {
                label: t('insert'),
                icon: <Icon icon={TextCursorInput} size={16} />,
                onChoose: () => onUse(prompt, 'message'),
              }
            : {
                label: t('start'),
                icon: <Icon icon={MessageSquarePlus} size={16} />,
                onChoose: () => onUse(prompt, 'start'),
              },
          {
            label: t('useHere'),
            icon: <Icon icon={SlidersHorizontal} size={16} />,
            onChoose: () => onUse(prompt, 'chat'),
          },
          {
            label: common('edit'),
            icon: <Icon icon={Pencil} size={16} />,
            onChoose: () => onView({ name: 'edit', id, fields }),
          },
          {
            label: t('duplicate'),
            icon: <Icon icon={Copy} size={16} />,
            onChoose: () =>
              onView({ name: 'edit', id: null, fields: { ...fields, name: t('copyName', { name }) } }),
          },
          {
            label: common('delete'),
            icon: <Icon icon={Trash} size={16} />,
            onChoose: () => {
              promptStore.remove(id)
              focusAfterRender('dialog[open] h2')
              noticeStore.offerUndo(t('deleted'), common('undo'), () => promptStore.put([prompt]))
            },
          },
        ]}
      />
    </li>
  )
}
