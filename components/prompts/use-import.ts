import { useTranslations } from 'next-intl'
import { noticeStore } from '@/lib/local/notice/notice-store'
import type { Prompt, PromptFields } from '@/lib/local/prompts/prompt'
import { PROMPT_FILE_BYTES_MAX, readPromptFile } from '@/lib/local/prompts/prompt-files'
import { promptStore } from '@/lib/local/prompts/prompt-store'
import { createUuid } from '@/lib/local/uuid'

/** Up to this many are a person's own prompts; more are a collection, of which few are wanted. */
const TAKEN_UNASKED_COUNT_MAX = 20

/** Imports a file of prompts. From a large file, the person chooses among the new ones. */
export function useImport(
  onMany: (found: readonly PromptFields[], skippedCount: number) => void,
): (file: File) => Promise<void> {
  const t = useTranslations('prompts')
  const faults = useTranslations('chat.documentFaults')
  const add = useAddPrompts()
  return async file => {
    const text = file.size <= PROMPT_FILE_BYTES_MAX ? await file.text().catch(() => null) : ''
    if (text === null) return void noticeStore.show('error', faults('unreadable', { name: file.name }))
    const read = readPromptFile(text)
    if (!read) return void noticeStore.show('error', t('importUnreadable'))
    const found = onlyNew(read.prompts)
    if (found.length === 0) noticeStore.show('info', t('importNothing'))
    else if (found.length > TAKEN_UNASKED_COUNT_MAX || read.skippedCount > 0) onMany(found, read.skippedCount)
    else add(found)
  }
}

/** Adds prompts and says so; false if there is no room for them. */
export function useAddPrompts(): (added: readonly PromptFields[]) => boolean {
  const t = useTranslations('prompts')
  return added => {
    const updated_at = new Date().toISOString()
    const prompts = added.map((fields): Prompt => ({ ...fields, id: createUuid(), updated_at }))
    const isAdded = promptStore.put(prompts)
    if (isAdded) noticeStore.show('success', t('added', { count: prompts.length }))
    else noticeStore.show('error', t('noRoom'))
    return isAdded
  }
}

/** Removes duplicates, and prompts that the browser already has. */
function onlyNew(prompts: readonly PromptFields[]): readonly PromptFields[] {
  const keyOf = ({ name, content }: PromptFields) => JSON.stringify([name, content])
  const known = new Set(promptStore.getSnapshot().map(keyOf))
  return prompts.filter(prompt => {
    const key = keyOf(prompt)
    const isNew = !known.has(key)
    known.add(key)
    return isNew
  })
}
