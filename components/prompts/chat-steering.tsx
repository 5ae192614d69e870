import { useTranslations } from 'next-intl'
import { useEffect, useEffectEvent, useState } from 'react'
import type { ChatModel } from '@/components/chat/chat-model'
import { steer } from '@/components/chat/steering-store'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { Field } from '@/components/ui/field'
import layout from '@/components/ui/layout.module.css'
import { useMoney } from '@/components/ui/money'
import text from '@/components/ui/text.module.css'
import { TextArea } from '@/components/ui/text-input'
import { useStore } from '@/components/ui/use-store'
import { ConversationCost } from '@/components/usage/conversation-cost'
import { estimateMessage } from '@/lib/exchange/client/estimate-message'
import { Link } from '@/lib/i18n/navigation'
import { type Steering, SYSTEM_PROMPT_LENGTH_MAX, steeringOf } from '@/lib/local/domain/steering'
import { instructionsStore } from '@/lib/local/instructions'
import { isSameJson } from '@/lib/local/storage/json'
import { formatUsd } from '@/lib/money/nano'
import { ParameterFields } from './parameter-fields'
import { promptDialogStore } from './prompt-dialog-store'

interface ChatSteeringProps {
  conversationId: string | null
  steering: Steering
  model: ChatModel | null
  onClose: () => void
}

/** The instructions and parameters of one chat. However the dialog is left, they are kept: nothing typed is lost. */
export function ChatSteering({ conversationId, steering, model, onClose }: ChatSteeringProps) {
  const t = useTranslations('prompts')
  const common = useTranslations('common')
  const everyChat = useStore(instructionsStore)
  const [before] = useState(() => steeringOf(steering))
  const [value, setValue] = useState(before)
  const prompt = value.system_prompt ?? ''
  const cost = useInstructionsCost(model, prompt)
  const keep = () => {
    const next = { ...value, system_prompt: prompt.trim() === '' ? undefined : prompt }
    if (!isSameJson(next, before)) steer(conversationId, next)
  }
  const done = () => {
    keep()
    onClose()
  }
  const leave = useEffectEvent(keep)
  // Going back in the browser closes the dialog together with its chat.
  useEffect(() => () => leave(), [])
  return (
    <Dialog open onClose={done} title={t('chat')} look="wide">
      <form
        noValidate
        className={layout.stack}
        onSubmit={event => {
          event.preventDefault()
          done()
        }}
      >
        {model?.draws ? (
          <p className={text.note}>{t('draws', { model: model.name })}</p>
        ) : (
          <>
            <Field label={t('instructions')} hint={cost}>
              {control => (
                <TextArea
                  {...control}
                  dir="auto"
                  rows={6}
                  maxLength={SYSTEM_PROMPT_LENGTH_MAX}
                  placeholder={t('instructionsPlaceholder')}
                  value={prompt}
                  onChange={event => setValue({ ...value, system_prompt: event.currentTarget.value })}
                />
              )}
            </Field>
            {everyChat !== null && (
              <p className={text.note}>
                {t.rich('everyChat', { link: words => <Link href="/account#settings">{words}</Link> })}
              </p>
            )}
            {model && (
              <ParameterFields
                controls={model.controls}
                value={value}
                onChange={change => setValue({ ...value, ...change })}
              />
            )}
          </>
        )}
        <ConversationCost />
        <div className={layout.row}>
          <Button type="submit">{common('done')}</Button>
          <Button
            variant="quiet"
            onClick={() => {
              keep()
              promptDialogStore.set('prompts')
            }}
          >
            {t('choosePrompt')}
          </Button>
          {prompt.trim() !== '' && (
            <Button
              variant="quiet"
              onClick={() => {
                keep()
                const { system_prompt: content = '', ...parameters } = value
                promptDialogStore.set({ make: { name: '', content, model: model?.id, ...parameters } })
              }}
            >
              {t('saveAsPrompt')}
            </Button>
          )}
          {!isSameJson(value, {}) && (
            <Button variant="quiet" onClick={() => setValue(steeringOf({}))}>
              {t('clear')}
            </Button>
          )}
        </div>
      </form>
    </Dialog>
  )
}

/** What the instructions add to the cost of every message; null if they add nothing. */
function useInstructionsCost(model: ChatModel | null, prompt: string): string | null {
  const t = useTranslations('prompts')
  const money = useMoney()
  if (!model || prompt.trim() === '') return null
  const nothing = estimateMessage(model, [], 0)
  const all = estimateMessage(model, [{ role: 'system', content: prompt }], 0)
  if (all === null || nothing === null || all === nothing) return null
  return t('instructionsCost', { price: money.about(formatUsd(all - nothing)), model: model.name })
}
