import { useTranslations } from 'next-intl'
import { useLayoutEffect, useRef, useState } from 'react'
import type { ChatModel } from '@/components/chat/chat-model'
import { Dialog } from '@/components/ui/dialog'
import { noticeStore } from '@/lib/local/notice/notice-store'
import type { Prompt, PromptFields } from '@/lib/local/prompts/prompt'
import { promptStore } from '@/lib/local/prompts/prompt-store'
import { variablesOf } from '@/lib/local/prompts/variables'
import { createUuid } from '@/lib/local/uuid'
import { ImportChoice } from './import-choice'
import { type OpenPromptDialog, promptDialogStore } from './prompt-dialog-store'
import { PromptForm } from './prompt-form'
import { PromptList, type PromptUse, type PromptView } from './prompt-list'
import { VariablesForm } from './variables-form'

interface PromptLibraryProps {
  opened: Exclude<OpenPromptDialog, 'chat'>
  models: readonly ChatModel[]
  onUse: (prompt: Prompt, text: string, purpose: PromptUse) => void
  onClose: () => void
}

const LIST: PromptView = { name: 'list' }

/** All prompts of this browser: use, create, edit, import and export them. */
export function PromptLibrary({ opened, models, onUse, onClose }: PromptLibraryProps) {
  const t = useTranslations('prompts')
  const common = useTranslations('common')
  const [view, setView] = useState<PromptView>(() => viewOf(opened))
  const written = useRef<PromptFields>(null)
  const use = (prompt: Prompt, purpose: PromptUse) => {
    if (variablesOf(prompt.content).length > 0) setView({ name: 'fill', prompt, purpose })
    else onUse(prompt, prompt.content, purpose)
  }
  const toList = () => {
    written.current = null
    setView(LIST)
  }
  // Escape or a click outside may have been meant for something else.
  const close = () => {
    const { current: make } = written
    const id = view.name === 'edit' ? view.id : null
    onClose()
    if (make) {
      noticeStore.offerUndo(t('notSaved'), common('edit'), () => promptDialogStore.set({ make, id }))
    }
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: each view is shown from its top
  useLayoutEffect(() => {
    // In newer browsers it returns a promise, which an effect must not return.
    void document.querySelector('dialog[open]')?.scrollTo?.(0, 0)
  }, [view])
  return (
    <Dialog open onClose={close} title={useTitle(view)} look="wide">
      {view.name === 'list' && <PromptList models={models} onUse={use} onView={setView} />}
      {view.name === 'edit' && (
        <PromptForm
          before={view.fields}
          models={models}
          onChange={fields => {
            written.current = fields
          }}
          onCancel={toList}
          onSave={fields => {
            const prompt = { ...fields, id: view.id ?? createUuid(), updated_at: new Date().toISOString() }
            if (promptStore.put([prompt])) toList()
            else noticeStore.show('error', t('noRoom'))
          }}
        />
      )}
      {view.name === 'fill' && (
        <VariablesForm
          content={view.prompt.content}
          onBack={toList}
          onFilled={filled => onUse(view.prompt, filled, view.purpose)}
        />
      )}
      {view.name === 'import' && (
        <ImportChoice found={view.found} skippedCount={view.skippedCount} onDone={toList} />
      )}
    </Dialog>
  )
}

function viewOf(opened: PromptLibraryProps['opened']): PromptView {
  if (opened === 'prompts') return LIST
  return 'fill' in opened
    ? { name: 'fill', prompt: opened.fill, purpose: 'message' }
    : { name: 'edit', id: opened.id ?? null, fields: opened.make }
}

function useTitle(view: PromptView): string {
  const t = useTranslations('prompts')
  switch (view.name) {
    case 'list':
      return t('library')
    case 'edit':
      return view.id === null ? t('new') : t('editTitle')
    case 'fill':
      return t('fillTitle', { name: view.prompt.name })
    case 'import':
      return t('importTitle')
  }
}
