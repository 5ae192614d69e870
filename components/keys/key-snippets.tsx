'use client'

import { useTranslations } from 'next-intl'
import { useState } from 'react'
import useSWR from 'swr'
import { CopyButton } from '@/components/ui/copy-button'
import { callApiForJson, fieldOf, textOf } from '@/lib/http/client/call-api'
import styles from './key-snippets.module.css'
import { SNIPPET_LANGUAGES, type SnippetLanguage, snippet } from './snippets'

/** How to use the key, in the words of the tools that take it. */
export function KeySnippets({ secret }: { secret: string }) {
  const t = useTranslations('keys')
  const modelId = useExampleModel()
  const [language, setLanguage] = useState<SnippetLanguage>('javascript')
  const code = snippet(language, { baseUrl: `${window.location.origin}/v1`, secret, modelId })
  return (
    <div className={styles.snippets}>
      <div role="group" aria-label={t('snippets')} className={styles.languages}>
        {SNIPPET_LANGUAGES.map(each => (
          <button
            key={each}
            type="button"
            className={styles.language}
            aria-pressed={each === language}
            onClick={() => setLanguage(each)}
          >
            {t(`snippet.${each}`)}
          </button>
        ))}
      </div>
      {/* Scrolls sideways: reachable by keyboard. */}
      <section className={styles.code} tabIndex={0} aria-label={t(`snippet.${language}`)}>
        <pre>
          <code>{code}</code>
        </pre>
      </section>
      <div>
        <CopyButton text={code} label={t('copySnippet')} size="small" />
      </div>
    </div>
  )
}

/** Stands in a snippet until the list is there, or where it cannot be had. */
const PLACEHOLDER = 'MODEL_ID'

/** A model that this site offers, so that a copied snippet runs as it is. */
function useExampleModel(): string {
  const { data } = useSWR<string | null, unknown>('/v1/models?type=chat', loadFirstModelId)
  return data ?? PLACEHOLDER
}

async function loadFirstModelId(path: string): Promise<string | null> {
  const models = fieldOf(await callApiForJson({ method: 'GET', path }), 'data')
  return Array.isArray(models) ? textOf(models[0], 'id') : null
}
