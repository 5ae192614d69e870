'use client'

import { useTranslations } from 'next-intl'
import { useState } from 'react'
import useSWR from 'swr'
import { CopyButton } from '@/components/ui/copy-button'
import { SelectField } from '@/components/ui/select-field'
import { Switch } from '@/components/ui/switch'
import { KEY_PLACEHOLDER, MODEL_PLACEHOLDER, SET_UPS } from '@/lib/api/domain/set-up'
import type { SetUpInput } from '@/lib/api/domain/set-up-input'
import { callApiForJson, numberOf, textOf } from '@/lib/http/client/call-api'
import { fieldsOf, listOf } from '@/lib/http/domain/is-object'
import styles from './set-up.module.css'

type ExampleModel = Pick<SetUpInput, 'modelId' | 'contextLength'>

/** How to use a key with a given tool. The key itself is filled in on request. */
export function SetUp({ secret = null }: { secret?: string | null }) {
  const t = useTranslations('keys.setUp')
  const model = useExampleModel()
  const [toolId, setToolId] = useState<string>(SET_UPS[0].id)
  const [isFilledIn, setIsFilledIn] = useState(false)
  const toolOf = (id: string) => SET_UPS.find(tool => tool.id === id) ?? SET_UPS[0]
  const { name, text } = toolOf(toolId)
  const shown = isFilledIn && secret ? secret : KEY_PLACEHOLDER
  const code = text({ site: window.location.origin, secret: shown, ...model })
  return (
    <div className={styles.setUp}>
      <SelectField
        label={t('tool')}
        choices={SET_UPS.map(({ id }) => id)}
        nameOf={id => toolOf(id).name}
        value={toolId}
        onChange={setToolId}
      />
      {secret && <Switch label={t('fill')} checked={isFilledIn} onChange={setIsFilledIn} />}
      {/* Scrolls sideways, so it must be reachable by keyboard. */}
      <section className={styles.code} tabIndex={0} aria-label={t('code', { name })}>
        <pre>
          <code>{code}</code>
        </pre>
      </section>
      <div>
        <CopyButton text={code} label={t('copy')} size="small" />
      </div>
    </div>
  )
}

/** A model that this site offers, so that the copied example runs as it is. */
function useExampleModel(): ExampleModel {
  const { data } = useSWR<ExampleModel, unknown>('/v1/models?type=chat', loadFirstModel)
  return data ?? { modelId: MODEL_PLACEHOLDER, contextLength: null }
}

async function loadFirstModel(path: string): Promise<ExampleModel> {
  const answer = await callApiForJson({ method: 'GET', path })
  const [first] = listOf(fieldsOf(answer).data)
  return {
    modelId: textOf(first, 'id') ?? MODEL_PLACEHOLDER,
    contextLength: numberOf(first, 'context_length'),
  }
}
