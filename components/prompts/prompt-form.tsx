import { useTranslations } from 'next-intl'
import { useState } from 'react'
import type { ChatModel } from '@/components/chat/chat-model'
import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import layout from '@/components/ui/layout.module.css'
import { Select } from '@/components/ui/select'
import { TextArea, TextInput } from '@/components/ui/text-input'
import type { ModelControls } from '@/lib/exchange/client/outgoing'
import { SYSTEM_PROMPT_LENGTH_MAX } from '@/lib/local/domain/steering'
import { PROMPT_NAME_LENGTH_MAX, type PromptFields } from '@/lib/local/prompts/prompt'
import { ParameterFields } from './parameter-fields'

interface PromptFormProps {
  before: PromptFields
  models: readonly ChatModel[]
  onChange: (fields: PromptFields) => void
  onCancel: () => void
  onSave: (fields: PromptFields) => void
}

/** For a prompt without a model of its own. Parameters that the answering model does not have are left out. */
const ANY_CONTROLS: ModelControls = {
  temperature: true,
  outputTokensMax: null,
  efforts: ['high', 'medium', 'low'],
}

export function PromptForm({ before, models, onChange, onCancel, onSave }: PromptFormProps) {
  const t = useTranslations('prompts')
  const common = useTranslations('common')
  const [fields, setFields] = useState(before)
  const [isTried, setTried] = useState(false)
  const change = (part: Partial<PromptFields>) => {
    const changed = { ...fields, ...part }
    setFields(changed)
    onChange(changed)
  }
  const { name, content, model } = fields
  const isNamed = name.trim() !== ''
  const hasWords = content.trim() !== ''
  const offered = models.find(({ id }) => id === model)
  return (
    <form
      noValidate
      className={layout.stack}
      onSubmit={event => {
        event.preventDefault()
        setTried(true)
        if (isNamed && hasWords) onSave({ ...fields, name: name.trim() })
      }}
    >
      <Field label={common('name')} error={isTried && !isNamed && t('nameError')}>
        {control => (
          <TextInput
            {...control}
            dir="auto"
            autoComplete="off"
            maxLength={PROMPT_NAME_LENGTH_MAX}
            value={name}
            onChange={event => change({ name: event.currentTarget.value })}
          />
        )}
      </Field>
      <Field label={t('content')} hint={t('contentHint')} error={isTried && !hasWords && t('contentError')}>
        {control => (
          <TextArea
            {...control}
            dir="auto"
            rows={8}
            maxLength={SYSTEM_PROMPT_LENGTH_MAX}
            value={content}
            onChange={event => change({ content: event.currentTarget.value })}
          />
        )}
      </Field>
      <Field label={t('model')}>
        {control => (
          <Select
            {...control}
            value={model ?? ''}
            onChange={event => change({ model: event.currentTarget.value || undefined })}
          >
            <option value="">{t('anyModel')}</option>
            {model !== undefined && !offered && <option value={model}>{t('modelMissing', { model })}</option>}
            {models
              .filter(({ draws }) => !draws)
              .map(one => (
                <option key={one.id} value={one.id}>
                  {one.name}
                </option>
              ))}
          </Select>
        )}
      </Field>
      <ParameterFields controls={offered?.controls ?? ANY_CONTROLS} value={fields} onChange={change} />
      <div className={layout.row}>
        <Button type="submit">{common('save')}</Button>
        <Button variant="quiet" onClick={onCancel}>
          {t('back')}
        </Button>
      </div>
    </form>
  )
}
