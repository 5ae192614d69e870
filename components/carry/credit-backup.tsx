'use client'

import { Download } from 'lucide'
import { useLocale, useTranslations } from 'next-intl'
import useSWRImmutable from 'swr/immutable'
import { formatDay, isoDayOf } from '@/components/account/format-day'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { Icon } from '@/components/ui/icon'
import layout from '@/components/ui/layout.module.css'
import { Qr } from '@/components/ui/qr'
import { saveFile } from '@/components/ui/save-file'
import { Skeleton } from '@/components/ui/skeleton'
import { isCreditId } from '@/lib/local/credit-id'
import { creditIdToWords, languageOfWords } from '@/lib/local/credit-words'
import styles from './credit-backup.module.css'

/** The name of the site, or its host if it has none. */
function siteName(): string {
  const named = document.querySelector<HTMLMetaElement>('meta[name="application-name"]')
  return named?.content || window.location.host
}

/** The credit in every form in which it can be copied. Whoever sees it can spend it. */
export function CreditBackup({ creditId }: { creditId: string }) {
  const t = useTranslations('carry')
  const locale = useLocale()
  const words = useWords(creditId)
  const text = words?.map(({ word }) => word).join(' ') ?? ''
  const save = () => {
    const { host, origin } = window.location
    const now = new Date()
    const numbered = words?.map(({ place, word }) => `${place}. ${word}`).join('\n') ?? ''
    const from = [siteName(), `${origin}/account`, formatDay(now.getTime() / 1000, locale)].join('\n')
    const lines = [t('fileTitle'), from, numbered, creditId, t('fileHint'), ''].join('\n\n')
    const name = `credit-${host.replace(/[^a-z0-9.]+/g, '-')}-${isoDayOf(now)}.txt`
    saveFile(new Blob([lines], { type: 'text/plain' }), name)
  }
  return (
    <div className={layout.stack}>
      {words ? (
        <ol className={styles.words} aria-label={t('words')}>
          {words.map(({ place, word }) => (
            // Screen readers pronounce them by it, and one wrong word is the loss of all.
            <li key={place} lang={languageOfWords(locale)}>
              {word}
            </li>
          ))}
        </ol>
      ) : (
        <Skeleton length="long" />
      )}
      <p className={styles.note}>{t('wordsHint')}</p>
      <div className={layout.row}>
        {words && <CopyButton text={text} label={t('copyWords')} />}
        {words && (
          <Button variant="quiet" onClick={save}>
            <Icon icon={Download} size={16} />
            {t('download')}
          </Button>
        )}
      </div>
      <div className={styles.qr}>
        <Qr value={creditId} title={t('qr')} />
        <p className={styles.note}>{t('qrHint')}</p>
      </div>
    </div>
  )
}

interface PlacedWord {
  /** From 1. Needed as a key, since a word may appear twice. */
  place: number
  word: string
}

/** The credit_id as twelve words of the page's language. Null while the list loads, and for ids of another form. */
function useWords(creditId: string): readonly PlacedWord[] | null {
  const locale = useLocale()
  const { data } = useSWRImmutable(
    isCreditId(creditId) ? (['words', creditId, locale] as const) : null,
    async ([, id, language]) => {
      const words = (await creditIdToWords(id, language)).split(' ')
      return words.map((word, index) => ({ place: index + 1, word }))
    },
  )
  return data ?? null
}
